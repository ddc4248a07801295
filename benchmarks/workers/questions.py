"""What both sides are asked."""

QUESTIONS = (
    "how to cancel a running task",
    "json decode error",
    "read lines from a compressed file",
    "what is the way to open a file for reading and close it again",
    "error message when the connection to the server is lost",
)
