"""The site's shell: what serves every part of it and knows no competition."""
