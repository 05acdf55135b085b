"""Pages generated from the repository's own files: rules, documents, the API schema, starter kits."""
