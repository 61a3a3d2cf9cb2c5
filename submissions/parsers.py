"""Reading the bodies of submissions, which may be larger than others (contract 29)."""

from contextlib import ExitStack
from tempfile import TemporaryFile

from django.core.exceptions import RequestDataTooBig

from marketplace.api.exceptions import BadRequest, BodyTooLarge, UnsupportedContentType
from marketplace.api.parsers import StrictJSONParser, longest_body, stated_length
from marketplace.large_values import PIECE
from submissions.exceptions import UnsupportedSubmission

ZIP = "application/zip"
MAX_JSON = 1024 * 1024  # bytes


class SubmissionParser(StrictJSONParser):
    """A JSON object, or a zip as a temporary file. Raises 415, 413 or 400, in this order."""

    file_types = [ZIP]

    def parse(self, stream, media_type=None, parser_context=None):
        if (media_type or "").partition(";")[0].strip(" \t").lower() == ZIP:
            return self.read_zip(parser_context["request"])
        return super().parse(stream, media_type, parser_context)

    def check_content_type(self, content_type, length):
        try:
            super().check_content_type(content_type, length)
        except UnsupportedContentType as error:
            raise UnsupportedSubmission from error

    def read(self, request, most=MAX_JSON):
        return super().read(request, most)

    def read_zip(self, request):
        length = stated_length(request, longest_body(request))
        with ExitStack() as opened:
            file = opened.enter_context(TemporaryFile())
            try:
                while piece := request.read(PIECE):
                    file.write(piece)
            except RequestDataTooBig as error:
                raise BodyTooLarge from error
            except OSError as error:
                raise BadRequest("Request body could not be read") from error
            if file.tell() < length:
                raise BadRequest("Request body is shorter than its Content-Length")
            opened.pop_all()  # The view closes it.
            return file
