from django.db import migrations

from marketplace.db.operations import RunConcurrently

# The trigger counts what is installed from its creation on, which waits for the installs that are
# running; the rest is counted day by day, in short transactions. An interrupted run may be repeated.
# Older weeks are shown nowhere.
FILL = '''
DO $$
DECLARE last bigint; today date;
BEGIN
    CREATE OR REPLACE TRIGGER installs_{kind}_by_day AFTER INSERT ON installs_{kind}install
        REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION installs_{kind}_by_day();
    DELETE FROM installs_{kind}day;
    SELECT max(id), (clock_timestamp() AT TIME ZONE 'UTC')::date
    INTO last, today FROM installs_{kind}install;
    COMMIT;
    FOR ago IN 0 .. 84 LOOP
        INSERT INTO installs_{kind}day AS counted ({kind}_id, day, installs)
        SELECT {kind}_id, today - ago, count(*)
        FROM installs_{kind}install
        WHERE id <= last
            AND installed_at >= (today - ago)::timestamp AT TIME ZONE 'UTC'
            AND installed_at < (today - ago + 1)::timestamp AT TIME ZONE 'UTC'
        GROUP BY {kind}_id ORDER BY {kind}_id
        ON CONFLICT ({kind}_id, day) DO UPDATE SET installs = counted.installs + excluded.installs;
        COMMIT;
    END LOOP;
END $$
'''


def fill(kind):
    return RunConcurrently(
        [FILL.format(kind=kind)],
        [f'DROP TRIGGER installs_{kind}_by_day ON installs_{kind}install'],
    )


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('installs', '0006_days'),
    ]

    operations = [
        fill('persona'),
        fill('skill'),
    ]
