(function () {
  "use strict";
  function all(query) { return Array.prototype.slice.call(document.querySelectorAll(query)); }
  var steps = all("svg.run .step");
  var lines = all(".code li[data-line]");
  var hint = document.querySelector(".details .hint");
  function linesOf(step) { return (step.getAttribute("data-lines") || "").split(" "); }
  function choose(step) {
    steps.forEach(function (other) {
      var detail = document.getElementById(other.getAttribute("data-detail"));
      if (detail) { detail.hidden = other !== step; }
      other.classList.toggle("chosen", other === step);
    });
    lines.forEach(function (line) {
      line.classList.toggle("lit", linesOf(step).indexOf(line.getAttribute("data-line")) >= 0);
    });
    if (hint) { hint.hidden = true; }
  }
  // The step that decides is chosen; a link to `#step-3` shows the third instead.
  steps.forEach(function (step, position) {
    if (step.classList.contains("chosen") && !/^#step-[0-9]+$/.test(location.hash)) { choose(step); }
    if (location.hash === "#step-" + (position + 1)) { choose(step); }
  });
  var chosen = document.querySelector("svg.run .step.chosen"), stage = document.querySelector(".lanes");
  if (chosen && stage) {
    var there = chosen.getBoundingClientRect(), here = stage.getBoundingClientRect();
    if (there.right > here.right - 150) { stage.scrollLeft = there.right - here.right + 200; }
  }
  steps.forEach(function (step, position) {
    step.addEventListener("mouseenter", function () { choose(step); });
    step.addEventListener("focus", function () { choose(step); });
    step.addEventListener("click", function () { choose(step); });
    step.addEventListener("keydown", function (event) {
      var to = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: steps.length - 1 }[event.key];
      if (event.key === "Enter" || event.key === " ") { choose(step); event.preventDefault(); }
      if (to !== undefined && steps[to]) { steps[to].focus(); event.preventDefault(); }
    });
  });
  lines.forEach(function (line) {
    function mark(on) {
      steps.forEach(function (step) {
        step.classList.toggle("lit", on && linesOf(step).indexOf(line.getAttribute("data-line")) >= 0);
      });
    }
    line.addEventListener("mouseenter", function () { mark(true); });
    line.addEventListener("mouseleave", function () { mark(false); });
  });
  all("button.copy").forEach(function (button) {
    button.addEventListener("click", function () {
      var from = document.getElementById(button.getAttribute("data-copy"));
      function done() { button.textContent = "Copied"; }
      function select() {
        var range = document.createRange(), selection = getSelection();
        range.selectNodeContents(from);
        selection.removeAllRanges();
        selection.addRange(range);
        try { if (document.execCommand("copy")) { done(); } } catch (error) { button.textContent = "Selected"; }
      }
      if (navigator.clipboard) { navigator.clipboard.writeText(from.textContent).then(done, select); } else { select(); }
    });
  });
  // A link to what is folded away opens it.
  all("a[href^='#']").forEach(function (link) {
    link.addEventListener("click", function () {
      var target = document.querySelector(link.getAttribute("href") + " details");
      if (target) { target.open = true; }
    });
  });
})();
