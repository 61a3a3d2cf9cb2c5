from marketplace.api.exceptions import NotFound


class SkillNotFound(NotFound):
    default_detail = "Skill not found"


class PersonaNotFound(NotFound):
    default_detail = "Persona not found"


class FileNotFound(NotFound):
    default_detail = "File not found"


class VersionNotFound(NotFound):
    default_detail = "Version not found"
