// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections to a server. Thread-safe. */
public final class Pool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pool.class);
    /** Each repetition of a deadlock follows a second in which the server looked for one. */
    private static final int TRIES = 5;
    /**
     * Most connections of a space in a process. One makes changes, and each stream of contents that is open keeps one;
     * a server accepts 100 from all processes by default.
     */
    private static final int MOST = 16;
    /** Milliseconds that the pool waits for a connection at least and at most; the pool accepts no shorter time. */
    private static final long SHORTEST_WAIT = 250;
    private static final long LONGEST_WAIT = 30_000;
    /** Milliseconds that a program may pause in the middle of a change at least and at most. */
    private static final long SHORTEST_PAUSE = 1000;
    private static final long LONGEST_PAUSE = 30_000;
    private static final String IDLE_TIMEOUT = "idle_in_transaction_session_timeout";
    /** A setting of our own in which a connection keeps that time. */
    private static final String LIMIT = "treehaul.longest_pause";
    /** Milliseconds after which an idle connection is closed. */
    private static final long IDLE = 60_000;

    /** Nanoseconds after a failure during which others do not wait again, one after another. */
    private static final long OUTAGE = 1_000_000_000;

    private record Outage(long at, SQLException reason) {}

    /** Work that borrows its connection. */
    @FunctionalInterface
    public interface Work<R> {
        R run() throws SQLException;
    }

    /** A data source whose time for a login is one for each host: a lost one must not use the time of the next. */
    private static final class AllHosts extends PGSimpleDataSource {
        private static final long serialVersionUID = 1;

        @Override
        public void setLoginTimeout(int seconds) {
            super.setLoginTimeout(seconds + (getServerNames().length - 1) * getConnectTimeout());
        }
    }

    private final ServerAddress server;
    private final PGSimpleDataSource driver;
    private final HikariDataSource pool;
    private final String settings;
    private final @Nullable SilentServers watched;
    private volatile @Nullable Outage outage;

    private Pool(ServerAddress server, PGSimpleDataSource driver, HikariDataSource pool, String settings) {
        this.server = server;
        this.driver = driver;
        this.pool = pool;
        this.settings = settings;
        // The kernel reports the end of a server on this machine.
        this.watched = server.isLocal() ? null : new SilentServers();
    }

    /**
     * Connects to a server, as {@link Pools} does.
     *
     * @throws NoClassDefFoundError when the pool is missing, or the driver
     */
    static Pool open(ServerAddress server, Duration patience) {
        // The driver does not connect for an interrupted thread.
        return Statements.uninterrupted(() -> opened(server, patience));
    }

    private static Pool opened(ServerAddress server, Duration patience) {
        PGSimpleDataSource driver = new AllHosts();
        driver.setURL(server.url());
        driver.setUser(server.user());
        // Without one, the driver would read a password file that others may write.
        driver.setPassword(Objects.requireNonNullElse(server.password(), ""));
        // Names of functions mean those of the server. A lock timeout of zero would mean none. A statement that waited for
        // a row looks at its newest version, which no other isolation level does. What was acknowledged must be on the
        // server's disk.
        long longest = Math.clamp(patience.toMillis() / 2, SHORTEST_PAUSE, LONGEST_PAUSE);
        String settings = "SELECT set_config('search_path', 'pg_catalog', false), set_config('lock_timeout', '"
                + Math.max(1, patience.toMillis())
                + "', false), set_config('default_transaction_isolation', 'read committed', false),"
                + " set_config('synchronous_commit',"
                + " CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'"
                + " ELSE current_setting('synchronous_commit') END, false), set_config('" + LIMIT
                + "', least(coalesce(nullif(extract(epoch FROM current_setting('" + IDLE_TIMEOUT
                + "')::interval) * 1000, 0), " + longest + "), " + longest + ")::bigint::text, false)";
        try {
            for (var property : server.properties().entrySet()) {
                driver.setProperty(property.getKey(), property.getValue());
            }
            driver.setTcpKeepAlive(true);
            HikariConfig config = new HikariConfig();
            config.setDataSource(driver);
            config.setPoolName(server.toString());
            config.setMaximumPoolSize(MOST);
            config.setMinimumIdle(0);
            config.setIdleTimeout(IDLE);
            config.setConnectionTimeout(Math.clamp(patience.toMillis(), SHORTEST_WAIT, LONGEST_WAIT));
            config.setConnectionInitSql(settings);
            // At once: a wrong password does not become right.
            config.setInitializationFailTimeout(1);
            return new Pool(server, driver, new HikariDataSource(config), settings);
        } catch (HikariPool.PoolInitializationException e) {
            throw e.getCause() instanceof SQLException refused ? ServerErrors.of(server, refused) : e;
        } catch (SQLException e) {
            throw ServerErrors.of(server, e);
        }
    }

    public ServerAddress server() {
        return server;
    }

    /**
     * Returns the call that makes the server end the transaction if its process pauses in it, as an item of FROM:
     * others that wait for its locks have the same patience by default, and must outlast it. A shorter limit that an
     * administrator has set for the role, the database or the server stays.
     */
    public static String limitOfPauses() {
        return "set_config('" + IDLE_TIMEOUT + "', current_setting('" + LIMIT + "'), true)";
    }

    /** Returns a connection, which its user closes. Fails at once for a while after the server could not be reached. */
    public Statements borrow() throws SQLException {
        Outage known = outage;
        if (known != null && System.nanoTime() - known.at() < OUTAGE) {
            throw new SQLTransientConnectionException(known.reason().getMessage(), known.reason().getSQLState(),
                    known.reason());
        }
        // The pool does not let an interrupted thread wait.
        boolean wasInterrupted = Thread.interrupted();
        try {
            Statements borrowed = new Statements(pool.getConnection(), watched, true);
            outage = null;
            return borrowed;
        } catch (SQLTransientConnectionException e) {
            if (pool.getHikariPoolMXBean().getActiveConnections() >= MOST) {
                SQLException full = new SQLException(
                        "this process uses all of its " + MOST + " connections to the space", ServerErrors.EXHAUSTED);
                full.addSuppressed(e);
                throw full;
            }
            outage = new Outage(System.nanoTime(), e);
            throw e;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Opens a connection outside the pool, which its user closes. */
    public Statements connect() throws SQLException {
        Statements opened = new Statements(driver.getConnection(), watched, false);
        try {
            opened.run(settings);
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Reads with a connection of its own, each statement for itself. If that had been broken while it was idle, reads
     * again with another one, so the step must have no effect but its result.
     */
    public <R> R read(Step<R> reading) {
        return read(reading, () -> false);
    }

    /**
     * Does work with a connection that it borrows; again with another one if that had been broken while it was idle.
     */
    public <R> R repeated(Work<R> work) {
        return Statements.uninterrupted(() -> {
            boolean wasInterrupted = false;
            try {
                for (int tries = 1;; tries++) {
                    try {
                        return work.run();
                    } catch (SQLException e) {
                        checkRepeatable(tries, e);
                        // The driver would close the next connection of an interrupted virtual thread too.
                        wasInterrupted |= Thread.interrupted();
                    }
                }
            } catch (SQLException e) {
                throw ServerErrors.of(server, e);
            } finally {
                if (wasInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }

    /** Reads like {@link #read(Step)}, but once only: the step may have effects besides its result. */
    public <R> R readOnce(Step<R> reading) {
        return read(reading, () -> true);
    }

    /**
     * Reads like {@link #read(Step)}, and not again after the step has had an effect besides its result.
     *
     * @param hasEffect returns whether it had; called after a failure
     */
    public <R> R read(Step<R> reading, BooleanSupplier hasEffect) {
        return repeated(() -> {
            try (Statements connection = borrow()) {
                return reading.run(connection);
            } catch (SQLException e) {
                if (hasEffect.getAsBoolean()) {
                    throw ServerErrors.of(server, e);
                }
                throw e;
            }
        });
    }

    /**
     * Throws the error if what failed would fail again, or was repeated often enough.
     *
     * @param tries how often it was tried
     */
    public void checkRepeatable(int tries, SQLException e) throws SQLException {
        if (tries >= TRIES || !ServerErrors.isRepeatable(e)) {
            throw e;
        }
        LOG.debug("{}: a step is repeated after {}", server, e.toString());
    }

    @Override
    public void close() {
        if (watched != null) {
            watched.close();
        }
        Statements.uninterrupted(() -> {
            // For an interrupted thread, it would leave a thread and connections.
            pool.close();
            return true;
        });
    }
}
