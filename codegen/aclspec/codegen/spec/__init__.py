"""What a YAML file may say: frozen pydantic models, one per concept, named as in the YAML."""
