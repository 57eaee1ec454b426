"""From a loaded project to the texts of its generated files; nothing here touches the disk."""
