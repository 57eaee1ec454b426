/* Filters a table of operators: every control of the form above it asks the cells that its data-columns names.
 *
 * "1" is a column, "2-7" are several, of which one must have the value; "head" chooses the one column whose head is the
 * value, hides its fellows, and wants a cell that is not "-" there. A cell with a data-set stands for the names of that set,
 * which the script below the table has: it is asked for them, and shows them all where its column is chosen. The choice
 * stands in the address. */
(function () {
  "use strict";

  function columns(control, heads, chosen) {
    var range = control.dataset.columns.split("-").map(Number);
    var found = [];
    for (var at = range[0]; at <= range[range.length - 1]; at++) {
      if (chosen === null || heads[at] === chosen) { found.push(at); }
    }
    return found;
  }

  function fits(row, control, heads, chosen, sets) {
    var value = control.value;
    if (!value) { return true; }
    if (control.dataset.columns === "head") {
      return row.cells[heads.indexOf(value)].textContent.trim() !== "-";
    }
    var among = control.dataset.columns.indexOf("-") < 0 ? null : chosen;
    return columns(control, heads, among).some(function (at) {
      var cell = row.cells[at];
      if (control.type === "search") { return cell.textContent.toLowerCase().indexOf(value.toLowerCase()) >= 0; }
      return names(cell, sets).indexOf(value) >= 0;
    });
  }

  /** What a cell stands for, without the marks of what the library alone has. */
  function names(cell, sets) {
    var set = sets[cell.dataset.set];
    return set ? set.map(function (name) { return name.replace("*", ""); }) : [cell.textContent.trim()];
  }

  /** All names of a set, those with a mark in italics. */
  function whole(set) {
    return [].concat.apply([], set.map(function (name) {
      var part = document.createElement(name.slice(-1) === "*" ? "i" : "span");
      part.textContent = name.replace("*", "");
      return [part, " "];
    }));
  }

  function show(cell, set, isWhole) {
    cell.short = cell.short || Array.prototype.slice.call(cell.childNodes);
    cell.replaceChildren.apply(cell, isWhole ? whole(set) : cell.short);
  }

  function start(root) {
    var form = root.querySelector("form");
    var table = root.querySelector("table");
    var controls = Array.prototype.slice.call(form.querySelectorAll("input, select"));
    var heads = Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) { return cell.textContent.trim(); });
    var output = form.querySelector("output");
    var sets = JSON.parse((root.querySelector("script[type='application/json']") || { textContent: "[]" }).textContent);

    function head() {
      var control = controls.filter(function (one) { return one.dataset.columns === "head"; })[0];
      return control && control.value ? control.value : null;
    }

    function filter() {
      var chosen = head();
      var rows = Array.prototype.slice.call(table.tBodies[0].rows);
      var shown = rows.filter(function (row) {
        row.hidden = !controls.every(function (control) { return fits(row, control, heads, chosen, sets); });
        return !row.hidden;
      });
      Array.prototype.forEach.call(table.rows, function (row) {
        Array.prototype.forEach.call(row.cells, function (cell, at) {
          cell.hidden = chosen !== null && at > 1 && heads[at] !== chosen;
          if (at > 1 && sets[cell.dataset.set] && Boolean(cell.isWhole) !== (heads[at] === chosen)) {
            cell.isWhole = heads[at] === chosen;
            show(cell, sets[cell.dataset.set], cell.isWhole);
          }
        });
      });
      output.textContent = output.dataset.text.replace("{shown}", shown.length).replace("{all}", rows.length);
    }

    function remember() {
      var state = new URLSearchParams();
      controls.forEach(function (control) { if (control.value) { state.set(control.name, control.value); } });
      var query = state.toString();
      try {
        history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
      } catch (error) { /* a page that is a file keeps its address */ }
    }

    var given = new URLSearchParams(location.search);
    controls.forEach(function (control) { if (given.has(control.name)) { control.value = given.get(control.name); } });
    form.addEventListener("input", function () { filter(); remember(); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    table.addEventListener("mouseover", function (event) {
      var cell = event.target.closest("td");
      if (cell && sets[cell.dataset.set]) { cell.title = sets[cell.dataset.set].join(" "); }
    });
    filter();
    root.classList.remove("aclspec-waiting");
    open();
  }

  /** Open what is folded in the row that the address names. */
  function open() {
    var row = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var folded = row && row.matches("tr") && row.querySelector("details");
    if (folded) { folded.open = true; row.scrollIntoView({ block: "center" }); }
  }

  Array.prototype.forEach.call(document.querySelectorAll(".aclspec-filtered"), start);
  addEventListener("hashchange", open);
})();
