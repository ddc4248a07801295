"""What models can do besides talking: each tool a file, each effect through the door."""
