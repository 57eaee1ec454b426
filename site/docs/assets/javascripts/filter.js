/* Filters a table of operators: every control of the form above it asks the cells that its data-columns names.
 *
 * "1" is a column, "2-7" are several, of which one must have the value; "head" chooses the one column whose head is the
 * value, hides its fellows, and wants a cell that is not "-" there. The choice stands in the address. */
(function () {
  "use strict";

  function texts(cell) {
    var codes = cell.querySelectorAll("code");
    return codes.length ? Array.prototype.map.call(codes, function (code) { return code.textContent; }) : [cell.textContent.trim()];
  }

  function columns(control, heads, chosen) {
    var range = control.dataset.columns.split("-").map(Number);
    var found = [];
    for (var at = range[0]; at <= range[range.length - 1]; at++) {
      if (chosen === null || heads[at] === chosen) { found.push(at); }
    }
    return found;
  }

  function fits(row, control, heads, chosen) {
    var value = control.value;
    if (!value) { return true; }
    if (control.dataset.columns === "head") {
      return row.cells[heads.indexOf(value)].textContent.trim() !== "-";
    }
    var among = control.dataset.columns.indexOf("-") < 0 ? null : chosen;
    return columns(control, heads, among).some(function (at) {
      var cell = row.cells[at];
      if (control.type === "search") { return cell.textContent.toLowerCase().indexOf(value.toLowerCase()) >= 0; }
      return texts(cell).indexOf(value) >= 0;
    });
  }

  function start(root) {
    var form = root.querySelector("form");
    var table = root.querySelector("table");
    var controls = Array.prototype.slice.call(form.querySelectorAll("input, select"));
    var heads = Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) { return cell.textContent.trim(); });
    var output = form.querySelector("output");

    function head() {
      var control = controls.filter(function (one) { return one.dataset.columns === "head"; })[0];
      return control && control.value ? control.value : null;
    }

    function show() {
      var chosen = head();
      var rows = Array.prototype.slice.call(table.tBodies[0].rows);
      var shown = rows.filter(function (row) {
        row.hidden = !controls.every(function (control) { return fits(row, control, heads, chosen); });
        return !row.hidden;
      });
      Array.prototype.forEach.call(table.rows, function (row) {
        Array.prototype.forEach.call(row.cells, function (cell, at) {
          cell.hidden = chosen !== null && at > 1 && heads[at] !== chosen;
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
    form.addEventListener("input", function () { show(); remember(); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    show();
  }

  Array.prototype.forEach.call(document.querySelectorAll(".aclspec-filtered"), start);
})();
