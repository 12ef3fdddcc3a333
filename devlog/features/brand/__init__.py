"""The look of a team: its logo, icon, colors and fonts, by configuration alone."""
