"""What makes the repository's own things, such as the site; no part of onbook."""
