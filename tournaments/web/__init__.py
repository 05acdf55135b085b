"""Web layer shared by all parts of the site, without knowledge of competitions."""
