"""An exam for language models and people: generated questions, each with one answer that can be proved."""
