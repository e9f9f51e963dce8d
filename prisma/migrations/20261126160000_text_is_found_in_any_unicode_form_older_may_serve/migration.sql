-- Text that lists are searched by is stored in NFKC. PostgreSQL 15 cannot change the expression of a generated column: the
-- column is dropped and added again, and so are its indexes.
DO $$
DECLARE
    searched RECORD;
    definitions TEXT[];
    definition TEXT;
BEGIN
    FOR searched IN
        SELECT * FROM (VALUES
            ('agent', 'sort_name', 'TEXT COLLATE "C"', '"name"'),
            ('company_link', 'sort_name', 'TEXT COLLATE "C"', 'coalesce("external_name", "external_id") COLLATE "default"'),
            ('end_company', 'sort_name', 'TEXT COLLATE "C"', '"name"'),
            ('end_user', 'sort_name', 'TEXT COLLATE "C"', '"name"'),
            ('technician_profile', 'sort_name', 'TEXT COLLATE "C"', '"name"'),
            ('agent_memory', 'search_text', 'TEXT', '"content"'),
            ('audit_entry', 'search_text', 'TEXT', 'coalesce("entity_number", '''') || chr(10) || coalesce("psa_company_name", '''') || chr(10) || coalesce("result_summary", '''') || chr(10) || coalesce("error_message", '''')'),
            ('end_user', 'search_text', 'TEXT', '"name" || chr(10) || coalesce("email", '''')'),
            ('execution', 'search_text', 'TEXT', 'coalesce("entity_number", '''') || chr(10) || coalesce("entity_id", '''') || chr(10) || coalesce("message_for_dashboard", '''')'),
            ('scheduled_work', 'search_text', 'TEXT', '"ticket_id" || chr(10) || coalesce("ticket_number", '''')')
        ) AS columns (table_name, column_name, type, expression)
    LOOP
        SELECT array_agg(pg_get_indexdef(i.indexrelid) ORDER BY i.indexrelid) INTO definitions
        FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = searched.column_name
        WHERE i.indrelid = searched.table_name::regclass AND a.attnum = ANY (i.indkey);
        EXECUTE format('ALTER TABLE %I DROP COLUMN %I', searched.table_name, searched.column_name);
        EXECUTE format('ALTER TABLE %I ADD COLUMN %I %s NOT NULL GENERATED ALWAYS AS (lower(normalize(%s, NFKC))) STORED',
            searched.table_name, searched.column_name, searched.type, searched.expression);
        FOREACH definition IN ARRAY definitions LOOP
            EXECUTE definition;
        END LOOP;
    END LOOP;
END
$$;
