// Looks at a page as a person would: is everything there, legible, inside of
// its box, and does it answer to mouse and keys? The result is written into the
// page, for the program that dumps it.
(function () {
  "use strict";
  var problems = [];
  function say(text) { problems.push(text); }
  function box(element) { return element.getBoundingClientRect(); }
  function all(query, within) { return Array.prototype.slice.call((within || document).querySelectorAll(query)); }
  function inside(inner, outer, slack) {
    return inner.left >= outer.left - slack && inner.right <= outer.right + slack && inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
  }
  function overlap(a, b) {
    return a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  }
  function shown(element) { var b = box(element); return b.width > 0 && b.height > 0; }

  // Colours.
  function parsed(colour) {
    var parts = (colour.match(/[\d.]+/g) || []).map(Number);
    return { r: parts[0] || 0, g: parts[1] || 0, b: parts[2] || 0, a: parts.length > 3 ? parts[3] : (colour === "none" ? 0 : 1) };
  }
  function luminance(c) {
    var f = [c.r, c.g, c.b].map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2];
  }
  function contrast(a, b) {
    var x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }
  function background(element) {
    for (var e = element; e; e = e.parentElement) {
      var own = parsed(getComputedStyle(e).backgroundColor);
      if (own.a > 0.99) { return own; }
    }
    return { r: 255, g: 255, b: 255, a: 1 };
  }
  // What is painted under a text of a drawing: the last filled shape before it.
  function under(text, svg) {
    var here = box(text), found = null;
    all("rect, circle, ellipse, polygon, path, text", svg).some(function (shape) {
      if (shape === text) { return true; }
      if (shape.tagName === "text" || shape.closest("defs") || shape.closest("marker")) { return false; }
      var fill = parsed(getComputedStyle(shape).fill), opacity = Number(getComputedStyle(shape).fillOpacity);
      var b = box(shape), x = (here.left + here.right) / 2, y = (here.top + here.bottom) / 2;
      if (fill.a * opacity > 0.99 && x >= b.left && x <= b.right && y >= b.top && y <= b.bottom) { found = fill; }
      return false;
    });
    return found || background(svg);
  }
  function contrasts() {
    var worst = 99;
    var walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (var node = walker.nextNode(); node; node = walker.nextNode()) {
      var element = node.parentElement;
      if (!node.data.trim() || !shown(element) || element.closest("script, style, title, desc")) { continue; }
      var svg = element.closest("svg");
      var colour = parsed(svg ? getComputedStyle(element).fill : getComputedStyle(element).color);
      var ratio = contrast(colour, svg ? under(element.closest("text") || element, svg) : background(element));
      worst = Math.min(worst, ratio);
      if (ratio < 4.5) { say("contrast " + ratio.toFixed(2) + " of: " + node.data.trim().slice(0, 40) + " in " + element.className); }
    }
    return worst;
  }

  function lanes() {
    var svg = document.querySelector("svg.run");
    if (!svg) { return null; }
    document.querySelector(".lanes").scrollLeft = 0;
    var steps = all(".step", svg), arrows = all(".arrow", svg), answers = all(".answer", svg);
    all(".step, .answer, .head", svg).forEach(function (group) {
      if (group.tagName !== "g") { return; }
      var frame = group.querySelector("rect");
      if (!shown(frame)) { say("an empty box in the lanes"); }
      all("text", group).forEach(function (text) {
        if (!inside(box(text), box(frame), 1)) { say("a text leaves its box in the lanes: " + text.textContent); }
      });
    });
    var frames = all(".step rect, .answer rect", svg).map(box);
    frames.forEach(function (a, i) { frames.slice(i + 1).forEach(function (b) { if (overlap(a, b)) { say("two boxes of the lanes overlap"); } }); });
    var badges = arrows.map(function (arrow) {
      if (!shown(arrow.querySelector("path"))) { say("an empty arrow"); }
      var badge = box(arrow.querySelector("circle"));
      frames.forEach(function (frame) { if (overlap(badge, frame)) { say("the number of an arrow lies on a box"); } });
      if (!arrow.querySelector("text").textContent) { say("an arrow without a number"); }
      return badge;
    });
    badges.forEach(function (a, i) { badges.slice(i + 1).forEach(function (b) { if (overlap(a, b)) { say("two numbers of arrows overlap"); } }); });
    if (!inside(box(svg), { left: -1, top: -1, right: 1e9, bottom: 1e9 }, 0)) { say("lanes outside of the page"); }
    return { steps: steps.length, arrows: arrows.length, answers: answers.length };
  }

  function hover() {
    var steps = all("svg.run .step");
    var told = 0;
    steps.forEach(function (step) {
      step.dispatchEvent(new MouseEvent("mouseenter", { bubbles: false }));
      var detail = document.getElementById(step.getAttribute("data-detail"));
      if (!detail || !shown(detail) || detail.querySelectorAll("td").length < 2) { say("hovering shows no state"); return; }
      if (all(".details .detail").filter(shown).length !== 1) { say("several states are shown"); }
      told += 1;
    });
    if (steps.length > 1) {
      steps[0].focus();
      steps[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
      if (document.activeElement !== steps[1]) { say("the arrow keys do not move"); }
    }
    return told;
  }

  // Every word of a cell stands on one line.
  function unbroken(cell) {
    var walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (var node = walker.nextNode(); node; node = walker.nextNode()) {
      var word = /[^\s]+/g, found;
      while ((found = word.exec(node.data))) {
        var range = document.createRange();
        range.setStart(node, found.index);
        range.setEnd(node, found.index + found[0].length);
        var tops = Array.prototype.map.call(range.getClientRects(), function (rect) { return Math.round(rect.top); });
        if (tops.some(function (top) { return top !== tops[0]; })) { say("a word is broken: " + found[0]); }
      }
    }
  }

  // What is to be seen before a user has touched anything, and what pointing does.
  function opened() {
    var chosen = all("svg.run .step.chosen");
    if (!document.querySelector("svg.run")) { return null; }
    if (chosen.length !== 1) { say(chosen.length + " steps are chosen when the page opens"); return null; }
    var detail = document.getElementById(chosen[0].getAttribute("data-detail"));
    if (!detail || detail.hidden) { say("the chosen step has no details"); }
    var lines = chosen[0].getAttribute("data-lines").split(" ").filter(Boolean);
    var lit = all(".code li.lit").map(function (line) { return line.getAttribute("data-line"); });
    if (lines.join() !== lit.join()) { say("the chosen step lights " + lit + " and not " + lines); }
    lit.forEach(function (number) {
      var line = document.querySelector(".code li[data-line='" + number + "']");
      line.dispatchEvent(new MouseEvent("mouseenter", { bubbles: false }));
      if (!chosen[0].classList.contains("lit")) { say("a line does not light its step"); }
      line.dispatchEvent(new MouseEvent("mouseleave", { bubbles: false }));
    });
    // Globals that leave room for lanes stay in sight, wherever the lanes are moved to.
    var scroller = document.querySelector(".lanes"), globals = document.querySelector("svg.run-side.globals");
    // A run for which there is room need not be moved: what is said of a step makes way.
    if (scroller.scrollWidth > scroller.clientWidth + 1 && scroller.scrollWidth + 2 <= box(scroller.parentElement).width) { say("a run is cut though there is room for it"); }
    var stays = getComputedStyle(globals).position === "sticky", moved = scroller.scrollLeft;
    var narrow = matchMedia("(max-width: 46rem)").matches;
    if (!stays && !narrow && box(globals).width <= 170) { say("the globals do not stay in sight"); }
    // On a telephone there is room for the lanes, or for the globals over them.
    if (narrow) {
      scroller.scrollLeft = 0;
      all("svg.run .head rect").map(box).forEach(function (head) {
        if (overlap(head, box(globals))) { say("the globals hide a lane"); }
      });
      scroller.scrollLeft = moved;
    }
    // Words are whole, and no pane is empty while the other one is squeezed.
    all(".details th, .answers th, .answers td").filter(shown).forEach(function (cell) { unbroken(cell); });
    var lanesBox = box(scroller), side = box(document.querySelector(".details"));
    if (side.left > lanesBox.right && scroller.clientWidth > box(globals).right - box(document.querySelector("svg.run-side.numbers")).left + 40 && side.width < 280) {
      say("a squeezed pane beside an empty one");
    }
    (stays ? [0, scroller.scrollWidth, moved] : []).forEach(function (to) {
      scroller.scrollLeft = to;
      if (box(globals).right > box(scroller).right + 1 || box(globals).left < box(scroller).left) { say("the globals are not in sight"); }
    });
    all(".details th[scope=row]").forEach(function (name) {
      if (!/^[A-Za-z_][\w.,()\[\] ]*$/.test(name.textContent)) { say("a name that the author has not written: " + name.textContent); }
    });
    return { lines: lit.length, diffs: all(".diff .copy").length, explained: all("#explain pre").length };
  }

  // A button beside a change copies it, and nothing else.
  function copies() {
    var written = null;
    var clipboard = { writeText: function (text) { written = text; return Promise.resolve(); } };
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: clipboard });
    all(".diff .copy").forEach(function (button) {
      var change = document.getElementById(button.getAttribute("data-copy"));
      written = null;
      button.click();
      if (!change || written !== change.textContent || !/^@@/.test(written)) { say("the button copies no change"); }
    });
  }

  function graphs() {
    return all(".figure svg").map(function (svg) {
      var nodes = all(".sg-node", svg), count = 0;
      if (!shown(svg)) { say("an empty picture"); }
      var frames = nodes.map(function (node) {
        var shape = node.querySelector("rect, circle, ellipse, polygon, path") || node;
        if (!shown(shape)) { say("an empty node"); }
        count += 1;
        return { box: box(shape), node: node };
      });
      frames.forEach(function (a, i) { frames.slice(i + 1).forEach(function (b) { if (overlap(a.box, b.box)) { say("two nodes overlap"); } }); });
      frames.forEach(function (frame) {
        all("text", frame.node).forEach(function (text) {
          if (shown(text) && !frame.node.hasAttribute("data-label-outside") && !inside(box(text), frame.box, 1.5)) { say("a label leaves its node: " + text.textContent); }
        });
      });
      var labels = all(".sg-edge text", svg).map(box);
      labels.forEach(function (label, i) {
        frames.forEach(function (frame) { if (overlap(label, frame.box)) { say("a label of an edge lies on a node"); } });
        labels.slice(i + 1).forEach(function (other) { if (overlap(label, other)) { say("two labels of edges overlap"); } });
        if (!inside(label, box(svg), 1)) { say("a label of an edge is cut"); }
      });
      return { nodes: count, labels: labels.length };
    });
  }

  window.addEventListener("load", function () {
    var result = { width: window.innerWidth };
    result.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    result.folded = all("details.folded").filter(function (fold) { return !fold.open; }).length;
    result.opened = opened();
    all("details").forEach(function (fold) { fold.open = true; });
    result.lanes = lanes();
    result.told = hover();
    copies();
    result.graphs = graphs();
    result.contrast = contrasts();
    result.requests = performance.getEntriesByType("resource").map(function (entry) { return entry.name; });
    if (document.documentElement.scrollWidth > window.innerWidth) {
      all("body *").filter(function (e) { return box(e).right > window.innerWidth + 1 && !e.closest(".wide"); }).slice(0, 3).forEach(function (e) {
        say("too wide: " + e.tagName + "." + e.className + " " + Math.round(box(e).right));
      });
      say("the page is " + document.documentElement.scrollWidth + " wide in " + window.innerWidth);
    }
    result.errors = window.servalErrors || [];
    result.problems = problems;
    // In a frame, the page that made the frame writes it down.
    if (window.parent !== window) { window.parent.postMessage(JSON.stringify(result), "*"); return; }
    var out = document.createElement("pre");
    out.id = "serval-result";
    out.textContent = JSON.stringify(result);
    document.body.appendChild(out);
  });
})();
