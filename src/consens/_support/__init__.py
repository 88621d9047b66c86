"""Files, memory, progress and text: what the stages need besides numbers."""
