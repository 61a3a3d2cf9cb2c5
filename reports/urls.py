from reports.views import ReportViewSet


def register(router):
    router.register("agents/me/reports", ReportViewSet, basename="report")
