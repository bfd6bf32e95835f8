// The tables that this browser knows: their names, and the links that sit there.

const MOST = 12;

/** The tables, the last first: {table, game, token, host}. */
export function myTables() {
  try {
    return JSON.parse(localStorage.getItem("tables")) ?? [];
  } catch {
    return [];
  }
}

function keep(tables) {
  localStorage.setItem("tables", JSON.stringify(tables.slice(0, MOST)));
}

/** Keeps a table; what is known of it already stays. */
export function remember(found) {
  const known = myTables();
  const before = known.find((each) => each.table === found.table) ?? {};
  const told = Object.fromEntries(Object.entries(found).filter(([, value]) => value));
  keep([{ ...before, ...told }, ...known.filter((each) => each.table !== found.table)]);
}

export function forget(table) {
  keep(myTables().filter((each) => each.table !== table));
}

/** The address of a seat; with the host's token it keeps who has it the host. */
export function seatAddress({ table, token = "", host = "" }) {
  const path = `${location.origin}/t/${table}`;
  if (!token && !host) return path;
  return `${path}#${token}${host ? `.${host}` : ""}`;
}

/** The token and the host's token of this page: those of its address; in the browser of the host also the kept one. */
export function tokens(table) {
  const [token = "", host = ""] = location.hash.slice(1).split(".");
  return { token, host: host || (myTables().find((each) => each.table === table)?.host ?? "") };
}
