from django.db import migrations

# One number for the whole catalogue, kept as the tally is, which rises with each transaction that
# changes what is found, and in it: what was ranked is ranked the same for as long as it stands.
FUNCTIONS = """
-- Once in a transaction is enough, because nobody sees it before the end; an import would write
-- one row a thousand times. By chance how much, so that a restored backup, which goes on from an
-- older number, does not come back to one that was given before.
CREATE FUNCTION catalogue_edit() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('catalogue.is_edited', true), '') = '' THEN
        PERFORM set_config('catalogue.is_edited', 'yes', true);
        PERFORM catalogue_add_up(
            'entry', '{edits}', '{""}', ARRAY[1 + floor(random() * 1000000)::bigint]
        );
    END IF;
END $$;

CREATE FUNCTION catalogue_is_edited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM catalogue_edit();
    RETURN NULL;
END $$;

-- Filters by bundle look at these rows.
CREATE TRIGGER catalogue_edits AFTER INSERT OR UPDATE OR DELETE ON catalogue_persona_skills
    FOR EACH ROW EXECUTE FUNCTION catalogue_is_edited();
"""

DROP_FUNCTIONS = """
DROP TRIGGER catalogue_edits ON catalogue_persona_skills;
DROP FUNCTION catalogue_edit(), catalogue_is_edited();
DELETE FROM catalogue_tally WHERE kind = 'entry';
DELETE FROM catalogue_tallychange WHERE kind = 'entry';
"""

# Of the columns that catalogue_{kind}_edited watches, and of published entries alone: an install,
# a review and a draft pay nothing.
TRIGGERS = """
CREATE TRIGGER catalogue_edits_added AFTER INSERT ON catalogue_{kind}
    FOR EACH ROW WHEN (NEW.status = 'published') EXECUTE FUNCTION catalogue_is_edited();
CREATE TRIGGER catalogue_edits_removed AFTER DELETE ON catalogue_{kind}
    FOR EACH ROW WHEN (OLD.status = 'published') EXECUTE FUNCTION catalogue_is_edited();
CREATE TRIGGER catalogue_edits_edited AFTER UPDATE OF {written} ON catalogue_{kind}
    FOR EACH ROW
    WHEN (({old}) IS DISTINCT FROM ({new}) AND 'published' IN (OLD.status, NEW.status))
    EXECUTE FUNCTION catalogue_is_edited();
"""

DROP_TRIGGERS = """
DROP TRIGGER catalogue_edits_added ON catalogue_{kind};
DROP TRIGGER catalogue_edits_removed ON catalogue_{kind};
DROP TRIGGER catalogue_edits_edited ON catalogue_{kind};
"""


def triggers(kind, *more):
    found = ["title", "slug", "tags", "description", "category", "runtimes", "author"]
    written = [*found, "status", *more]
    parts = {
        "kind": kind,
        "written": ", ".join(written),
        "old": ", ".join(f"OLD.{name}" for name in written),
        "new": ", ".join(f"NEW.{name}" for name in written),
    }
    return migrations.RunSQL(TRIGGERS.format(**parts), DROP_TRIGGERS.format(**parts))


class Migration(migrations.Migration):

    dependencies = [
        ('catalogue', '0003_desk'),
    ]

    operations = [
        migrations.RunSQL(FUNCTIONS, DROP_FUNCTIONS),
        triggers("skill"),
        triggers("persona", "price_cents"),
    ]
