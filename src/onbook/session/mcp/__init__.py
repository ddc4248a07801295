"""Servers of the Model Context Protocol: started or called as the settings say, their tools offered like any other."""
