"""The values that flow through the pipeline: frozen, ordered, without I/O."""
