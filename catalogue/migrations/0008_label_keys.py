from django.db import migrations


KEYS = r"""
-- Labels without case, as filters compare them (contract 8.3).
CREATE OR REPLACE FUNCTION catalogue_keys(labels varchar[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN string_to_array(lower(array_to_string(labels, E'\x1f')), E'\x1f');
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0007_recall_reason'),
    ]

    operations = [
        migrations.RunSQL(KEYS, migrations.RunSQL.noop),
    ]
