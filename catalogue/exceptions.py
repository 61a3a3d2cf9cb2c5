from marketplace.api.exceptions import NotFound


class SkillNotFound(NotFound):
    default_detail = "Skill not found"
    when = "No published skill has this slug."
    remedy = "Search again."


class PersonaNotFound(NotFound):
    default_detail = "Persona not found"
    when = "No published persona has this slug."
    remedy = "Search again."


class FileNotFound(NotFound):
    default_detail = "File not found"
    when = "The skill has no such file, or its digest has changed."
    remedy = "Read the `files` of the skill again."


class VersionNotFound(NotFound):
    default_detail = "Version not found"
    when = "The entry has no version with this number, or staff recalled it."
    remedy = "List its versions."
