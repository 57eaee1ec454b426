// Dtype rows in words.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const LISTED_ROWS = 4; // more combinations than this are not listed; the nearest one is told
  const distinct = (items, key) => [...new Map(items.map((item) => [key(item), item])).values()];

  /** The clause that dtypes are, or are not, supported together: the given ones and the supported ones. */
  ask.rowsClause = (writer, { params }, truth) => {
    const { language, env } = writer;
    if (env === null) {
      if (params.length === 1) return language.say("row", [truth, false], params[0], "", "", "");
      return language.say("together", [truth, false], language.nouns(params, "and"), "");
    }
    const given = new Map(params.map((name) => [name, dtypes(env.lookup(name))]).filter(([, found]) => found !== null));
    const rows = projected(env, [...given.keys()]);
    if (params.length === 1) return single(writer, params[0], given, rows, truth);
    const named = [...given].map(([name, found]) => `${name} (${found.join(", ")})`);
    const listed = language.nouns(named.length ? named : params, "and");
    const clause = language.say("together", [truth, true], listed, env.product);
    return truth || !rows.length ? clause : clause + supported(language, given, rows);
  };

  function single(writer, name, given, rows, truth) {
    const legal = [...new Set(rows.flatMap((row) => row.get(name) ?? []))];
    if (!truth && (given.get(name) ?? [""]).every((one) => legal.includes(one))) { // a list: each of them is, but not all
      const clause = writer.language.say("together", [truth, true], `${name} (${given.get(name).join(", ")})`, writer.env.product);
      return clause + supported(writer.language, given, rows);
    }
    const actual = given.has(name) ? ` (${given.get(name).join(", ")})` : "";
    const expected = legal.length && !truth ? ` (${legal.join(", ")})` : "";
    return writer.language.say("row", [truth, true], name, actual, writer.env.product, expected);
  }

  /** The dtypes that the call gives to a parameter, if it gives any. */
  function dtypes(value) {
    const found = value === null || value === ask.INFERRED ? ask.UNDEFINED : ask.dtypesOf(value);
    return found === ask.UNDEFINED ? null : found;
  }

  /** The product's rows, reduced to these parameters, each once. */
  function projected(env, names) {
    const told = ({ cells }) => names.filter((name) => name in cells).map((name) => [name, cells[name]]);
    return distinct(env.rows.map(told), JSON.stringify).map((cells) => new Map(cells));
  }

  /** What the product supports: the dtypes that all share, or some combinations. */
  function supported(language, given, rows) {
    const names = [...given.keys()];
    const differs = (name) => new Set(rows.map((row) => String(row.get(name)))).size > 1;
    const joint = names.some(differs) ? names.filter(differs) : names;
    let told = rows.map((row) => new Map([...row].filter(([name]) => joint.includes(name))));
    const isUniform = (row) => {
      const cells = [...row.values()];
      return cells.length === joint.length && new Set(cells.map(String)).size === 1 && cells[0].length === 1;
    };
    if (joint.length === names.length && told.every(isUniform)) {
      return language.allEqual(joint.length, told.map((row) => row.get(joint[0])[0]));
    }
    if (told.length > LISTED_ROWS) {
      const misfits = ([name, cell]) => !given.get(name).every((one) => cell.includes(one));
      const misses = (row) => [...row].filter(misfits).length;
      told = [told.reduce((best, row) => (misses(row) < misses(best) ? row : best))];
    }
    return language.combinations(told.map(shared));
  }

  /** A row as groups of parameters that may have the same dtypes. */
  function shared(row) {
    const groups = new Map();
    for (const [name, cell] of row) groups.set(String(cell), [[...(groups.get(String(cell))?.[0] ?? []), name], cell]);
    return [...groups.values()];
  }
})();
