"""Settings: `onbook.toml`, the user's file and the environment, read into typed values."""
