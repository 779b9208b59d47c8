// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.SQLException;
import java.util.List;

import org.treehaul.tuplespace.postgresql.connection.LeaseClock;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * The rights on the tables of a shared space, given by the role that owns them. Members get rights on columns: none of
 * them can set the column of the user who wrote a tuple, which the server fills in. Tables of further record classes
 * are made by functions of the server, which run with the rights of the owner and check what they are given.
 */
public final class SharedSchema {
    /** The declarations of columns that {@link #define} accepts. */
    private static final List<String> DECLARATIONS = List.of("bigint", "bigint NOT NULL DEFAULT 0", "double precision",
            "double precision NOT NULL DEFAULT 0", "text COLLATE \"C\"", "bytea");

    private final Names names;
    private final Access access;

    public SharedSchema(Names names, Access access) {
        this.names = names;
        this.access = access;
    }

    /** Shares the tables of a space that has just been made, as the role that owns them. */
    public void share(Statements connection) throws SQLException {
        connection.run("CREATE TABLE " + names.access() + "(roles text NOT NULL, apart boolean NOT NULL)");
        connection.update("INSERT INTO " + names.access() + " VALUES (?, ?::boolean)", access.roles(),
                String.valueOf(access.isApart()));
        connection.run("CREATE TABLE " + names.users() + "(role text PRIMARY KEY, uid bigint NOT NULL)");
        for (String table : List.of(names.transactions(), names.clients(), names.watchers(), names.changes())) {
            connection
                    .run("ALTER TABLE " + table + " ADD COLUMN " + Names.OWNER + " text NOT NULL DEFAULT session_user");
        }
        // Prepared transactions belong to client 0, which must not be removed as one that is lost.
        connection.run("ALTER TABLE " + names.clients() + " ADD CHECK (id > 0)");
        functions(connection);
        grants(connection);
        String own = Names.OWNER + " = session_user";
        mineOnly(connection, names.clients(), own);
        numbered(connection, names.clients(), "id", names.clientIds());
        mineOnly(connection, names.watchers(), own);
        if (access.isApart()) {
            mineOnly(connection, names.transactions(), access.mine());
            numbered(connection, names.transactions(), "id", names.ids());
            connection.run("ALTER TABLE " + names.changes() + " ENABLE ROW LEVEL SECURITY");
            connection.run("CREATE POLICY own ON " + names.changes() + " USING (" + access.mine() + ")");
        }
    }

    private void grants(Statements connection) throws SQLException {
        String readers = Names.quote(access.reader()) + ", " + Names.quote(access.writer());
        String writers = Names.quote(access.writer());
        connection.run("GRANT USAGE ON SCHEMA " + Names.quote(names.schema()) + " TO " + readers);
        for (String table : List.of(names.space(), names.types(), names.access(), names.users(), names.transactions(),
                names.clients(), names.watchers(), names.changes())) {
            connection.run("GRANT SELECT ON " + table + " TO " + readers);
        }
        // Members who only read may watch, and register for that.
        connection.run("GRANT INSERT(id, lost), UPDATE(lost), DELETE ON " + names.clients() + " TO " + readers);
        connection
                .run("GRANT INSERT(client, events), UPDATE(events), DELETE ON " + names.watchers() + " TO " + readers);
        connection.run("GRANT USAGE, SELECT ON " + names.clientIds() + " TO " + readers);
        connection.run("GRANT INSERT(id, client, expires), UPDATE(client, expires), DELETE ON " + names.transactions()
                + " TO " + writers);
        connection.run("GRANT INSERT, DELETE ON " + names.changes() + " TO " + writers);
        connection.run("GRANT USAGE ON " + names.ids() + " TO " + writers);
        connection.run("GRANT SELECT ON " + names.ids() + " TO " + readers);
        for (String function : List.of(names.changed() + "(bigint)", names.removeLost() + "()",
                names.define() + "(text, text, text[], text[], text)",
                names.index() + "(text, text, text[], text[])")) {
            connection.run("REVOKE ALL ON FUNCTION " + function + " FROM PUBLIC");
            connection.run("GRANT EXECUTE ON FUNCTION " + function + " TO " + writers);
        }
    }

    /** Lets members see all rows of a table, and change those that meet a condition. */
    private static void mineOnly(Statements connection, String table, String mine) throws SQLException {
        connection.run("ALTER TABLE " + table + " ENABLE ROW LEVEL SECURITY");
        connection.run("CREATE POLICY seen ON " + table + " FOR SELECT USING (true)");
        connection.run("CREATE POLICY made ON " + table + " FOR INSERT WITH CHECK (" + mine + ")");
        connection.run("CREATE POLICY changed ON " + table + " FOR UPDATE USING (" + mine + ")");
        connection.run("CREATE POLICY removed ON " + table + " FOR DELETE USING (" + mine + ")");
    }

    /** Refuses rows with a number that the server has not given yet: the user who gets it later could not use it. */
    private static void numbered(Statements connection, String table, String number, String sequence)
            throws SQLException {
        connection.run("CREATE POLICY numbered ON " + table + " AS RESTRICTIVE FOR INSERT WITH CHECK (" + number
                + " <= " + given(sequence) + ")");
    }

    /** Returns the last number of a sequence; the server looks at it once in a statement, which inserts one row. */
    private static String given(String sequence) {
        return "(SELECT last_value FROM " + sequence + ")";
    }

    private void functions(Statements connection) throws SQLException {
        function(connection, names.changed() + "(number bigint) RETURNS bigint", "last bigint;", """
                BEGIN
                  IF number NOT BETWEEN 1 AND 1000000 THEN
                    RAISE EXCEPTION 'not a number of changes: %', number;
                  END IF;
                  EXECUTE format('UPDATE %I."$space" SET changes = changes + $1 RETURNING changes', space)
                    INTO last USING number;
                  EXECUTE format('DELETE FROM %I."$changes" WHERE sequence > $1', space) USING last - number;
                  RETURN last;
                END""");
        defining(connection);
        losing(connection);
        indexing(connection);
    }

    /**
     * Makes the function that indexes a table. Where users are apart, the server uses an index only for conditions that
     * cannot disclose the rows of others: comparisons of columns, not of heads that it would have to compute. There,
     * tables have a column for each head.
     */
    private void indexing(Statements connection) throws SQLException {
        function(connection, names.index() + "(title text, relation text, columns text[], cut text[]) RETURNS void",
                "head_of_text CONSTANT text := " + Names.literal(Heads.of(Kind.TEXT, "%I"))
                        + "; head_of_blob CONSTANT text := " + Names.literal(Heads.of(Kind.BLOB, "%I"))
                        + "; own text; part text; parts text[] := '{}';",
                """
                        BEGIN
                          IF relation LIKE '$%' OR title LIKE '$%' THEN
                            RAISE EXCEPTION 'not the table of a record class: %', relation;
                          END IF;
                          FOR i IN 1 .. cardinality(columns) LOOP
                            part := CASE cut[i] WHEN 'TEXT' THEN format(head_of_text, columns[i])
                              WHEN 'BLOB' THEN format(head_of_blob, columns[i]) ELSE quote_ident(columns[i]) END;
                            IF mine IS NOT NULL AND cut[i] IN ('TEXT', 'BLOB') THEN
                              SELECT '$head ' || attnum INTO own FROM pg_attribute WHERE attname = columns[i]
                                AND attrelid = format('%I.%I', space, relation)::regclass AND attnum > 0;
                              IF own IS NULL THEN
                                RAISE EXCEPTION 'not a component of %: %', relation, columns[i];
                              END IF;
                              EXECUTE format('ALTER TABLE %I.%I ADD COLUMN IF NOT EXISTS %I %s GENERATED ALWAYS AS (%s)'
                                ' STORED', space, relation, own,
                                CASE cut[i] WHEN 'TEXT' THEN 'text COLLATE "C"' ELSE 'bytea' END, part);
                              part := quote_ident(own);
                            END IF;
                            parts := parts || part;
                          END LOOP;
                          EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I.%I (%s)', title, space, relation,
                            array_to_string(parts, ', '));
                        END""");
    }

    /**
     * Makes the function that makes the table of a record class. Others rely on the name of the table and on the stored
     * components, so a member can give neither another meaning.
     */
    private void defining(Statements connection) throws SQLException {
        function(connection,
                names.define() + "(class text, relation text, columns text[], declared text[], kept text) RETURNS void",
                "given CONSTANT text := " + Names.literal(given(names.ids()))
                        + "; written text; mark text; known text; own text := class; bytes CONSTANT bytea := convert_to(class, 'UTF8'); hash bigint := 4294967295;",
                """
                        BEGIN
                          IF relation LIKE '$%' OR class LIKE '$%' THEN
                            RAISE EXCEPTION 'not the table of a record class: %', relation;
                          END IF;
                          IF octet_length(own) > 63 THEN
                            FOR i IN 0 .. octet_length(bytes) - 1 LOOP
                              hash := hash # get_byte(bytes, i);
                              FOR j IN 1 .. 8 LOOP
                                hash := (hash >> 1) # ((hash & 1) * 2197175160);
                              END LOOP;
                            END LOOP;
                            WHILE octet_length(own) > 50 LOOP
                              own := left(own, -1);
                            END LOOP;
                            own := own || '~' || lpad(to_hex(hash # 4294967295), 8, '0');
                          END IF;
                          IF relation IS DISTINCT FROM own THEN
                            RAISE EXCEPTION 'not the table of %: %', class, relation;
                          END IF;
                          EXECUTE format('SELECT components FROM %I."$types" WHERE name = $1', space)
                            INTO known USING class;
                          IF kept !~ '^((INTEGER|REAL|TEXT|BLOB) [^\n]+\n)*$' OR EXISTS (
                              SELECT 1 FROM string_to_table(known, chr(10)) component
                              WHERE component <> ALL (string_to_array(kept, chr(10)))) THEN
                            RAISE EXCEPTION 'not the components of %: %', class, kept;
                          END IF;
                          IF to_regclass(format('%I.%I', space, relation)) IS NULL THEN
                            EXECUTE format('CREATE TABLE %I.%I ("$id" bigint PRIMARY KEY, "$expires" bigint,'
                              ' "$writer" bigint, "$taker" bigint, "$readers" bigint[],'
                              ' "$owner" text NOT NULL DEFAULT session_user)', space, relation);
                            FOREACH mark IN ARRAY '{$expires,$writer,$taker}'::text[] LOOP
                              EXECUTE format('CREATE INDEX ON %I.%I (%I) WHERE %3$I IS NOT NULL', space, relation, mark);
                            END LOOP;
                            EXECUTE format('CREATE INDEX ON %I.%I ("$id") WHERE "$readers" IS NOT NULL', space, relation);
                            IF mine IS NOT NULL THEN
                              EXECUTE format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', space, relation);
                              EXECUTE format('CREATE POLICY own ON %I.%I USING (%s)', space, relation, mine);
                              EXECUTE format('CREATE POLICY numbered ON %I.%I AS RESTRICTIVE FOR INSERT WITH CHECK ("$id" <= %s)',
                                space, relation, given);
                            END IF;
                          END IF;
                          FOR i IN 1 .. cardinality(columns) LOOP
                            IF declared[i] <> ALL (declarations) OR columns[i] LIKE '$head %' THEN
                              RAISE EXCEPTION 'not the declaration of a component: %', declared[i];
                            END IF;
                            EXECUTE format('ALTER TABLE %I.%I ADD COLUMN IF NOT EXISTS %I %s', space, relation,
                              columns[i], declared[i]);
                          END LOOP;
                          SELECT string_agg(quote_ident(attname), ', ') INTO written FROM pg_attribute
                            WHERE attrelid = format('%I.%I', space, relation)::regclass AND attnum > 0
                            AND NOT attisdropped AND attname <> '$owner';
                          EXECUTE format('GRANT SELECT ON %I.%I TO %I, %I', space, relation, reader, writer);
                          EXECUTE format('GRANT INSERT(%s), UPDATE("$expires", "$writer", "$taker", "$readers"), DELETE'
                            ' ON %I.%I TO %I', written, space, relation, writer);
                          EXECUTE format('INSERT INTO %I."$types" VALUES ($1, $2) ON CONFLICT (name)'
                            ' DO UPDATE SET components = excluded.components', space) USING class, kept;
                        END""");
    }

    /**
     * Makes the function that forgets processes of all users whose connections ended a while ago. The server finds
     * these out itself, so a member cannot remove a process that is alive. Their transactions are then past their ends.
     */
    private void losing(Statements connection) throws SQLException {
        function(connection, names.removeLost() + "() RETURNS void",
                "now bigint := " + LeaseClock.SERVER + "; grace CONSTANT bigint := " + LeaseClock.GRACE
                        + "; alive bigint[]; gone bigint[];",
                """
                        BEGIN
                          SELECT coalesce(array_agg(objid::bigint), '{}') INTO alive FROM pg_locks
                            WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = to_regnamespace(quote_ident(space))::oid
                            AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
                          EXECUTE format('UPDATE %I."$clients" SET lost = CASE WHEN id <> ALL ($1)'
                            ' THEN coalesce(lost, $2) END WHERE (lost IS NULL) <> (id = ANY ($1))', space)
                            USING alive, now;
                          EXECUTE format('WITH gone AS (DELETE FROM %I."$clients" WHERE lost < $1 RETURNING id)'
                            ' SELECT coalesce(array_agg(id), ''{}'') FROM gone', space) INTO gone USING now - grace;
                          EXECUTE format('UPDATE %I."$transactions" SET expires = 0 WHERE client = ANY ($1)', space)
                            USING gone;
                          EXECUTE format('DELETE FROM %I."$watchers" WHERE client = ANY ($1)', space) USING gone;
                          EXECUTE format('DELETE FROM %1$I."$changes" WHERE NOT EXISTS (SELECT 1 FROM %1$I."$watchers"'
                            ' WHERE events)', space);
                        END""");
    }

    /** Makes a function; its body knows the names in this space as constants, so it needs no names in its text. */
    private void function(Statements connection, String head, String variables, String body) throws SQLException {
        StringBuilder declarations = new StringBuilder();
        DECLARATIONS.forEach(one -> declarations.append(declarations.isEmpty() ? "" : ", ").append(Names.literal(one)));
        String declare = "DECLARE space CONSTANT text := " + Names.literal(names.schema())
                + "; reader CONSTANT text := " + Names.literal(access.reader()) + "; writer CONSTANT text := "
                + Names.literal(access.writer()) + "; mine CONSTANT text := "
                + (access.isApart() ? Names.literal(access.mine()) : "NULL")
                + "; declarations CONSTANT text[] := ARRAY[" + declarations + "]; " + variables + "\n";
        connection.run("CREATE FUNCTION " + head
                + " LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS "
                + Names.literal(declare + body));
    }

    /** Makes the table of a record class, or adds columns to it, and gives the members their rights on it. */
    void define(Statements connection, String type, List<String> columns, List<String> declarations, String kept)
            throws SQLException {
        connection.first("SELECT " + names.define() + "(?, ?, ?, ?, ?)",
                List.of(type, Names.shortened(type), texts(columns), texts(declarations), kept), row -> true);
    }

    /** Makes an index of a record class's table. */
    void index(Statements connection, String title, String type, List<Heads.Part> parts) throws SQLException {
        connection.first("SELECT " + names.index() + "(?, ?, ?, ?)",
                List.of(title, Names.shortened(type),
                        texts(parts.stream().map(part -> Names.plainColumn(part.component())).toList()),
                        texts(parts.stream().map(part -> part.cut() == null ? "" : part.cut().name()).toList())),
                row -> true);
    }

    private static Values.Several texts(List<String> texts) {
        return new Values.Several(Kind.TEXT, texts);
    }
}
