"""Pages made of what the repository says about itself: rules, documents, the API's description, starter kits."""
