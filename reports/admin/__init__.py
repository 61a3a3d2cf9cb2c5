"""The queue of cases, and the reports in them."""

from reports.admin.cases import CaseAdmin
from reports.admin.reports import ReportAdmin
