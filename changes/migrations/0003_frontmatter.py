from django.db import migrations


TRIGGER = '''
DROP TRIGGER changes_persona_changed ON catalogue_persona;
CREATE CONSTRAINT TRIGGER changes_persona_changed
    AFTER INSERT OR DELETE OR UPDATE OF slug, title, description, category, tags, runtimes, author, version, license, content, status, deprecation_message, successor_id, created_at, updated_at, price_cents, frontmatter ON catalogue_persona
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION changes_persona_changed();
'''


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0011_frontmatter'),
        ('changes', '0002_number'),
    ]

    operations = [
        migrations.RunSQL(TRIGGER, migrations.RunSQL.noop),
    ]
