from django.contrib.postgres.operations import AddIndexConcurrently, NotInTransactionMixin
from django.db import migrations, models
from django.db.models import F


class RunConcurrently(NotInTransactionMixin, migrations.RunSQL):
    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        self._ensure_not_in_transaction(schema_editor)
        super().database_forwards(app_label, schema_editor, from_state, to_state)


# In short transactions, so that no request waits long. The locks keep an entry as it is until its
# change is there; the triggers go on from that.
FILL = '''
DO $$
BEGIN
    FOR start IN 0 .. (SELECT coalesce(max(id), 0) FROM catalogue_{kind}) BY 1000 LOOP
        INSERT INTO catalogue_change (kind, slug, change, digest, changed_at)
        SELECT '{kind}', slug, 'published', digest, least(updated_at, now())
        FROM (
            SELECT slug, digest, updated_at FROM catalogue_{kind}
            WHERE id BETWEEN start AND start + 999 AND status = 'published'
            ORDER BY id FOR SHARE
        ) AS published
        ON CONFLICT DO NOTHING;
        COMMIT;
    END LOOP;
END $$
'''


def index(*columns, name):
    return AddIndexConcurrently(model_name='change', index=models.Index(*columns, name=name))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('catalogue', '0010_changes'),
    ]

    operations = [
        index(F('changed_at'), F('id') * -1, name='change_position'),
        index('kind', F('changed_at'), F('id') * -1, name='change_position_of_kind'),
        RunConcurrently([FILL.format(kind='skill')], migrations.RunSQL.noop),
        RunConcurrently([FILL.format(kind='persona')], migrations.RunSQL.noop),
    ]
