import binascii
from base64 import b64decode
from pathlib import PurePosixPath

from rest_framework.serializers import ValidationError

from catalogue.frontmatter import Refused
from catalogue.models import MAX_NUMBER, Kind
from importing.members import MAX_MEMBERS, Member, check_path
from importing.names import check_path as check_name
from importing.names import is_skill_md
from marketplace.api.fields import (
    ChoiceField,
    CountField,
    DigestField,
    Field,
    IdentifierField,
    MessageField,
    PublicTextField,
    RequiredTextField,
    SlugField,
    TextField,
    TimestampField,
    WholeNumberField,
)
from marketplace.api.serializers import BodySerializer, PageSerializer, ResponseSerializer
from marketplace.models import max_length
from submissions.models import Submission
from submissions.models.querysets import State

EXAMPLE = (
    "---\nname: pdf-tables\ndescription: Reads tables out of PDF files. Use it for reports.\n---\n"
    "\n# Instructions\n\nRun scripts/tables.py.\n"
)
ENCODINGS = ["base64"]


class SentFilesField(Field):
    """The other files of a skill. Its errors name the file and the key: `files[2].path …`."""

    default_error_messages = {
        "invalid": "{field_name} must be a list of objects",
        # Those that an import leaves out count, too.
        "too_many": f"{{field_name}} must be at most {MAX_MEMBERS:,} objects",
    }
    keywords = {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["path", "content"],
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "content": {"type": "string"},
                "encoding": {"type": "string", "enum": ENCODINGS},
                "executable": {"type": "boolean"},
            },
        },
    }
    initial = [{"path": "scripts/tables.py", "content": "print('tables')\n", "executable": True}]

    def to_internal_value(self, data):
        if not isinstance(data, list) or not all(isinstance(file, dict) for file in data):
            self.fail("invalid")
        if len(data) > MAX_MEMBERS:
            self.fail("too_many")
        paths, files, problems = {}, [], []
        for index, file in enumerate(data):
            texts = [*problems_of_path(file.get("path"), paths), *problems_of_values(file)]
            problems += [f"{self.field_name}[{index}].{text}" for text in texts]
            files.append(None if texts else as_file(file))
        for index, file in enumerate(files):
            if file and not paths.keys().isdisjoint(map(str, parents_of(file))):
                problems.append(f"{self.field_name}[{index}].path is below another file")
        if problems:
            raise ValidationError("; ".join(problems))
        return files


def problems_of_path(path, paths):
    if path in (None, ""):
        return ["path is required"]
    if not isinstance(path, str):
        return ["path must be a string"]
    member = Member(path, None)  # which also writes `./a` as `a`
    if is_skill_md(member.path.partition("/")[0]):
        return ["path must not be SKILL.md: send its text as content"]
    if paths.get(member.path.casefold()) == member.path:
        return ["path is there twice"]
    try:
        check_path(member)
        check_name(member.path, paths)
    except Refused as error:
        return [f"path: {error}"]
    return []


def parents_of(file):
    """The folders of a file, as a case-insensitive disk knows them."""
    return PurePosixPath(Member(file["path"], None).path.casefold()).parents


def problems_of_values(file):
    content, encoding = file.get("content"), file.get("encoding")
    if content is None:
        yield "content is required"
    elif not isinstance(content, str):
        yield "content must be a string"
    if encoding not in (None, *ENCODINGS):
        yield "encoding must be base64"
    elif encoding and isinstance(content, str) and decoded(content) is None:
        yield "content must be base64"
    if not isinstance(file.get("executable"), bool | None):
        yield "executable must be a boolean"


def decoded(content):
    try:
        return b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        return None


def as_file(file):
    content = file["content"]
    return {
        "path": file["path"],
        "data": decoded(content) if file.get("encoding") else content.encode(),
        "executable": bool(file.get("executable")),
    }


class AboutSubmissionSerializer(BodySerializer):
    """An author's remarks on a text: in the body, or in the query of a zip."""

    baseNumber = WholeNumberField(
        source="base_number",
        default=None,
        min_value=1,
        max_value=MAX_NUMBER,
        initial=3,
        help_text="The `number` of the version that you changed, for an entry that exists.",
    )
    note = PublicTextField(
        max_length=max_length(Submission, "note"),
        default="",
        initial="Reads merged cells, too.",
        help_text="For the staff: what you changed, and why.",
    )


class SubmitSerializer(AboutSubmissionSerializer):
    kind = ChoiceField(Kind.values, initial="skill")
    content = RequiredTextField(
        initial=EXAMPLE,
        help_text="The whole SKILL.md, or the persona's file. `name` in it is the slug.",
    )
    files = SentFilesField(
        default=list,
        help_text="The other files of a skill. `encoding` is `base64` for those that are no text.",
    )


class FindingSerializer(ResponseSerializer):
    code = TextField(initial="license")
    path = TextField(initial="SKILL.md", help_text="The file. In an archive, `a.zip!inner.txt`.")
    line = CountField(allow_null=True, initial=None)
    text = TextField(initial="none")


class BaseVersionSerializer(ResponseSerializer):
    """The newest version when the submission came; null for a new entry."""

    number = CountField(source="base_number", initial=3)
    digest = DigestField(source="base_digest")

    def represent(self, submission, context):
        if submission.base_number is None:
            return None
        return super().represent(submission, context)


class RejectionReasonField(TextField):
    def to_representation(self, value):
        return value or None


class ProvenanceSerializer(ResponseSerializer):
    """The run of CI that sent a submission, as the issuer of its token names it."""

    issuer = TextField(initial="https://token.actions.githubusercontent.com")
    project = TextField(allow_null=True, initial="acme/skills")
    ref = TextField(allow_null=True, initial="refs/heads/main")
    commit = TextField(allow_null=True, initial="9b2f0c1d4e5a6b7c8d9e0f1a2b3c4d5e6f708192")
    run = TextField(allow_null=True, initial="15873202911")


class SubmissionSerializer(ResponseSerializer):
    submissionId = IdentifierField("submission", source="public_id")
    kind = ChoiceField(Kind.values)
    slug = SlugField(initial="pdf-tables")
    state = ChoiceField(State.values, component="SubmissionState")
    digest = DigestField(help_text="The digest of the version that publishing it makes.")
    bytesDigest = DigestField(
        source="bytes_digest", help_text="The digest of all files, exactly as you sent them."
    )
    base = BaseVersionSerializer(allow_null=True, source="*")
    findings = FindingSerializer(many=True, help_text="For the staff and you to read.")
    note = TextField(initial="Reads merged cells, too.")
    createdAt = TimestampField(source="created_at")
    provenance = ProvenanceSerializer(
        required=False, help_text="Absent unless a run of CI sent it with an exchanged token."
    )

    def represent(self, submission, context):
        data = super().represent(submission, context)
        if submission.provenance is None:
            del data["provenance"]
        return data


class DecidedSubmissionSerializer(SubmissionSerializer):
    reason = RejectionReasonField(allow_null=True, initial=None, help_text="Why it was rejected.")
    number = CountField(
        allow_null=True, initial=None, help_text="The version that it became, once published."
    )
    decidedAt = TimestampField(source="decided_at", allow_null=True, initial=None)


class SubmittedFileSerializer(ResponseSerializer):
    path = TextField(initial="scripts/tables.py")
    size = CountField(initial=16)
    digest = DigestField()


class SubmissionDetailSerializer(DecidedSubmissionSerializer):
    content = TextField(
        allow_null=True, initial=EXAMPLE, help_text="Null once its bytes are deleted."
    )
    files = SubmittedFileSerializer(many=True)


class SubmissionPageSerializer(PageSerializer):
    results = DecidedSubmissionSerializer(many=True)


class SubmittedMessageField(MessageField):
    def __init__(self):
        super().__init__("Skill submitted")

    def to_representation(self, submission):
        verb = "published" if submission.state == State.PUBLISHED else "submitted"
        return f"{submission.kind.capitalize()} {verb}"


class SubmittedMessageSerializer(ResponseSerializer):
    message = SubmittedMessageField()


class SubmittedSerializer(SubmittedMessageSerializer, SubmissionSerializer):
    """A new submission; with the `number` of its version if it was published at once."""

    number = CountField(
        required=False, initial=4, help_text="The version, if it was published at once."
    )

    def represent(self, submission, context):
        data = super().represent(submission, context)
        if submission.state != State.PUBLISHED:
            del data["number"]
        return data


class WithdrawnSerializer(ResponseSerializer):
    message = MessageField("Submission withdrawn")
    submissionId = IdentifierField("submission", source="public_id")
