(function () {
  "use strict";
  var steps = Array.prototype.slice.call(document.querySelectorAll("svg.run .step"));
  var hint = document.querySelector(".details .hint");
  function choose(step) {
    steps.forEach(function (other) {
      var detail = document.getElementById(other.getAttribute("data-detail"));
      if (detail) { detail.hidden = other !== step; }
      other.classList.toggle("chosen", other === step);
    });
    if (hint) { hint.hidden = true; }
  }
  // A link to `#step-3` shows the third step.
  steps.forEach(function (step, position) {
    if (location.hash === "#step-" + (position + 1)) { choose(step); }
  });
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
})();
