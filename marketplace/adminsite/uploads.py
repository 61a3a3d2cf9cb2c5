"""A bound for uploaded files: Django itself writes them to the disk without one."""

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from infrastructure.server.sizes import MAX_FILES


class BoundedUpload(FileUploadHandler):
    """Passes files on to the next handlers until they are larger than MAX_FILES together."""

    received = 0

    def receive_data_chunk(self, raw_data, start):
        self.received += len(raw_data)
        if self.received > MAX_FILES:
            raise RequestDataTooBig("The files are larger than may be uploaded")
        return raw_data

    def file_complete(self, file_size):
        return None
