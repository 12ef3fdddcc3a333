"""Which sizes and formats there are to be, and how they are encoded."""
