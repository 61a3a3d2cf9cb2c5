from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import F

from marketplace.db.operations import RunConcurrently


# One statement reads entries and counts of one snapshot, and adds the differences: what is written
# meanwhile is counted by the triggers.
COUNT = '''
    WITH truth AS (
        SELECT license AS value, count(*) AS entries FROM catalogue_{kind}
        WHERE status = 'published' GROUP BY license
    ), present AS (
        SELECT value, sum(entries) AS entries FROM (
            SELECT kind, facet, value, entries FROM catalogue_facetcount
            UNION ALL
            SELECT kind, facet, value, entries FROM catalogue_facetcountdelta
        ) AS counted
        WHERE kind = '{kind}' AND facet = 'license' GROUP BY value
    )
    INSERT INTO catalogue_facetcountdelta (kind, facet, value, entries)
    SELECT '{kind}', 'license', value, coalesce(truth.entries, 0) - coalesce(present.entries, 0)
    FROM truth FULL JOIN present USING (value)
    WHERE truth.entries IS DISTINCT FROM present.entries
'''


def index(kind, popularity):
    return AddIndexConcurrently(
        model_name=kind,
        index=models.Index(
            F('license'),
            F(popularity).desc(),
            F('id').desc(),
            name=f'{kind}_license',
            condition=models.Q(status='published'),
        ),
    )


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('catalogue', '0005_license_facts'),
    ]

    operations = [
        RunConcurrently(COUNT.format(kind='skill'), migrations.RunSQL.noop),
        RunConcurrently(COUNT.format(kind='persona'), migrations.RunSQL.noop),
        index('skill', 'downloads'),
        index('persona', 'installs'),
    ]
