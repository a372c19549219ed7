"""The side of Talaria that lives in a Python process: it loads plugins and calls what they registered."""
