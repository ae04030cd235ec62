// The page of one simulation: unpacks the jobs, draws the part of the run that is looked at, and follows mouse and keys.
// Texts from the run are only ever set as text. What packed.py writes, unpack() reads; rows are laid out as in rows.py.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const run = unpack(report.packed);
  const KINDS = ["waiting", "own", "borrowed", "in-share", "preempted"];
  const WORDS = ["waits for room", "on its share's own limit", "borrows", "started by in-share preemption", "preempted, waits again"];
  const PREEMPTED = 4;
  const PREEMPTION_KINDS = ["cross-share", "in-share", "limit lowered"];
  const ROWS_MAX = 100;
  const TABLE_MAX = 500;
  const ROW_HEIGHT = report.row_height;
  const IS_CROWD = "jobs" in report.specs;
  const LINKED = IS_CROWD ? ["timeline"] : ["timeline", "use"]; // means over long times tell nothing of short ones
  const views = {};
  const byId = (id) => document.getElementById(id);
  const state = { from: 0, to: run.endMs, share: -1, filter: "all", find: "", page: 0 };

  function unpack(packed) {
    const unit = packed.unit_ms, names = [], count = packed.lives.length;
    let before = "";
    for (const one of packed.names) {
      before = before.slice(0, one.charCodeAt(0) - 48) + one.slice(1);
      names.push(before);
    }
    const klass = new Int32Array(count), first = new Int32Array(count + 1);
    const cause = [], from = [], to = [];
    let start = 0;
    packed.lives.forEach((life, index) => {
      const colon = life.indexOf(":");
      klass[index] = parseInt(life.slice(0, colon), 36);
      const parts = life.slice(colon + 1).match(/[A-Z]+|[0-9a-z]+/g);
      start += parseInt(parts[0], 36);
      let at = start;
      first[index] = cause.length;
      for (let place = 1; place < parts.length; place += 2) {
        let number = 0;
        for (const letter of parts[place]) number = number * 26 + letter.charCodeAt(0) - 65;
        cause.push(number);
        from.push(at * unit);
        at += parseInt(parts[place + 1], 36);
        to.push(at * unit);
      }
    });
    first[count] = cause.length;
    const preemptions = [], suffered = new Map(), caused = new Map();
    let at = 0;
    for (let place = 0; place < packed.preemptions.length; place += 5) {
      const [since, job, by, kind, lost] = packed.preemptions.slice(place, place + 5);
      at += since;
      const one = { at: at * unit, job, by: by - 1, kind, lost: lost * unit };
      preemptions.push(one);
      if (!suffered.has(job)) suffered.set(job, []);
      suffered.get(job).push(one);
      if (one.by >= 0) {
        if (!caused.has(one.by)) caused.set(one.by, []);
        caused.get(one.by).push(one);
      }
    }
    return { names, klass, first, cause, from, to, preemptions, suffered, caused, endMs: packed.end_ms, packed, count };
  }

  const pad = (number, width = 2) => String(number).padStart(width, "0");
  function clock(ms) {
    const days = Math.floor(ms / 86400000), seconds = Math.floor(ms / 1000) % 86400, rest = ms % 1000;
    return (days ? `${days}d ` : "") + [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => pad(Math.floor(part))).join(":")
      + (rest ? `.${pad(rest, 3)}` : "");
  }
  function rough(ms) {
    for (const [unit, part, units] of [[86400000, 3600000, "dh"], [3600000, 60000, "hm"], [60000, 1000, "ms"]]) {
      if (ms >= unit) {
        const small = Math.floor((ms % unit) / part);
        return `${Math.floor(ms / unit)}${units[0]}${small ? small + units[1] : ""}`;
      }
    }
    return ms < 1000 ? `${ms}ms` : `${Math.floor(ms / 1000)}s`;
  }
  function parseClock(text) {
    const found = /^\s*(?:(\d+)\s*d)?\s*(?:(\d+):(\d{1,2})(?::(\d{1,2}))?)?\s*$/.exec(text);
    if (!found || !text.trim()) return null;
    const [days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part || 0));
    return ((days * 24 + hours) * 60 + minutes) * 60000 + seconds * 1000;
  }

  const shareOf = (job) => run.packed.classes[run.klass[job]][0];
  const needOf = (job) => run.packed.needs[run.packed.classes[run.klass[job]][1]];
  const kindOf = (stretch) => run.packed.causes[run.cause[stretch]][0];
  const startOf = (job) => (run.first[job] < run.first[job + 1] ? run.from[run.first[job]] : 0);
  const endOf = (job) => (run.first[job] < run.first[job + 1] ? run.to[run.first[job + 1] - 1] : 0);
  const short = (name, most) => (name.length <= most ? name : `${name.slice(0, most - 1)}…`);

  function causeOf(job, stretch) {
    const [kind, text] = run.packed.causes[run.cause[stretch]];
    const words = text || WORDS[kind], at = run.from[stretch];
    if (kind === PREEMPTED) {
      const found = (run.suffered.get(job) || []).filter((one) => one.at <= at).pop();
      if (!found) return words;
      const by = found.by >= 0 ? ` by ${run.names[found.by]}` : "";
      return `preempted (${PREEMPTION_KINDS[found.kind]})${by}${found.lost ? `, lost ${rough(found.lost)} of work` : ""}, waits again`;
    }
    const victims = (run.caused.get(job) || []).filter((one) => one.at === at).map((one) => run.names[one.job]);
    const more = victims.length > 3 ? ` and ${victims.length - 3} more` : "";
    return victims.length ? `${words}; preempts ${victims.slice(0, 3).join(", ")}${more}` : words;
  }

  const FILTERS = {
    all: () => true,
    preemption: (job) => run.suffered.has(job) || run.caused.has(job),
    borrowed: (job) => stretches(job).some((stretch) => kindOf(stretch) === 2),
    unfinished: (job) => !["SUCCEEDED", "FAILED"].includes(run.packed.classes[run.klass[job]][2]),
  };
  const stretches = (job) => Array.from({ length: run.first[job + 1] - run.first[job] }, (_, index) => run.first[job] + index);

  function chosen() {
    const found = [];
    for (let job = 0; job < run.count; job += 1) {
      if (startOf(job) < state.to && endOf(job) >= state.from
          && (state.share < 0 || shareOf(job) === state.share)
          && (!state.find || run.names[job].includes(state.find)) && FILTERS[state.filter](job)) found.push(job);
    }
    return found.sort((one, other) => shareOf(one) - shareOf(other) || one - other);
  }

  function layOut(jobs) {
    const data = { heads: [], stretches: [], arrows: [], changes: run.packed.changes }, names = [], rows = new Map();
    const room = byId("timeline-chart").clientWidth, most = room < 560 ? 14 : 30;
    let share = -1;
    for (const job of jobs) {
      if (shareOf(job) !== share) {
        share = shareOf(job);
        data.heads.push({ row: names.length, text: run.packed.shares[share].title });
        names.push("");
      }
      rows.set(job, names.length);
      for (const stretch of stretches(job)) {
        if (run.to[stretch] <= state.from || run.from[stretch] >= state.to) continue;
        const lasts = `${clock(run.from[stretch])} for ${rough(run.to[stretch] - run.from[stretch])}`;
        data.stretches.push({
          row: names.length, kind: KINDS[kindOf(stretch)], from_ms: run.from[stretch], to_ms: run.to[stretch],
          what: `${run.names[job]} (${needOf(job)}): ${causeOf(job, stretch)}, ${lasts}`, job, stretch,
        });
      }
      names.push(short(run.names[job], most));
    }
    for (const job of jobs) {
      for (const one of run.suffered.get(job) || []) {
        if (rows.has(one.by) && one.at >= state.from && one.at <= state.to) {
          data.arrows.push({ at_ms: one.at, row: rows.get(job), by_row: rows.get(one.by) });
        }
      }
    }
    return { data, names };
  }

  async function draw() {
    const all = chosen();
    state.page = Math.max(0, Math.min(state.page, Math.ceil(all.length / ROWS_MAX) - 1));
    const jobs = all.slice(state.page * ROWS_MAX, (state.page + 1) * ROWS_MAX);
    const { data, names } = layOut(jobs);
    const view = views.timeline;
    for (const [name, rows] of Object.entries(data)) view.data(name, rows);
    view.signal("names", names).signal("rows", Math.max(1, names.length)).height(ROW_HEIGHT * Math.max(1, names.length));
    for (const name of LINKED) {
      if (views[name]) await views[name].signal("from_ms", state.from).signal("to_ms", state.to).runAsync();
    }
    fit();
    tell(all, jobs, data.stretches);
  }

  function tell(all, jobs, drawn) {
    const first = state.page * ROWS_MAX;
    const part = all.length > jobs.length ? `Jobs ${first + 1} to ${first + jobs.length} of ${all.length}` : `${all.length} jobs`;
    byId("status").textContent = `${part}, from ${clock(state.from)} to ${clock(state.to)}.`;
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = first + jobs.length >= all.length;
    byId("pages").hidden = all.length <= ROWS_MAX && state.page === 0;
    byId("from").value = clock(state.from);
    byId("to").value = clock(state.to);
    const rows = drawn.slice(0, TABLE_MAX).map((one) => [
      run.names[one.job], run.packed.shares[shareOf(one.job)].name, needOf(one.job), one.kind,
      clock(one.from_ms), rough(one.to_ms - one.from_ms), causeOf(one.job, one.stretch),
    ]);
    const body = byId("timeline-table").tBodies[0];
    body.replaceChildren(...rows.map((cells) => {
      const row = document.createElement("tr");
      row.append(...cells.map((text, place) => {
        const cell = document.createElement(place ? "td" : "th");
        if (!place) cell.scope = "row";
        cell.textContent = text;
        return cell;
      }));
      return row;
    }));
    byId("timeline-more").hidden = drawn.length <= TABLE_MAX;
  }

  const whole = (ms) => (run.endMs > 60000 ? Math.round(ms / 1000) * 1000 : Math.round(ms));
  function move(from, to) {
    const span = Math.max(Math.min(to - from, run.endMs), Math.min(1000, run.endMs));
    state.from = Math.max(0, whole(Math.min(from, run.endMs - span)));
    state.to = Math.min(run.endMs, state.from + Math.max(1, whole(span)));
    state.page = 0;
    return draw();
  }
  function zoom(factor, around = (state.from + state.to) / 2) {
    const left = (around - state.from) * factor, right = (state.to - around) * factor;
    return move(around - left, around + right);
  }
  const pan = (part) => move(state.from + part * (state.to - state.from), state.to + part * (state.to - state.from));
  const ACTIONS = {
    in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), all: () => move(0, run.endMs),
    previous: () => { state.page -= 1; return draw(); }, next: () => { state.page += 1; return draw(); },
  };
  const KEYS = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "all", PageUp: "previous", PageDown: "next" };

  function timeAt(view, event, group = null) {
    const box = view.container().querySelector("svg").getBoundingClientRect();
    const width = group ? view.signal("child_width") : view.width();
    const x = event.clientX - box.left - view.origin()[0] - (group ? group.x : 0);
    const from = view.signal("from_ms"), to = view.signal("to_ms");
    return from + Math.max(0, Math.min(1, x / width)) * (to - from);
  }

  function drag(chart) {
    let start = null, brush = null;
    chart.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button) return;
      start = event;
    });
    chart.addEventListener("pointermove", (event) => {
      if (!start || Math.abs(event.clientX - start.clientX) < 5) return;
      if (!brush) { brush = document.createElement("div"); brush.className = "brush"; chart.append(brush); }
      const box = chart.getBoundingClientRect();
      brush.style.left = `${Math.min(event.clientX, start.clientX) - box.left + chart.scrollLeft}px`;
      brush.style.width = `${Math.abs(event.clientX - start.clientX)}px`;
    });
    window.addEventListener("pointerup", (event) => {
      if (brush) {
        const times = [timeAt(views.timeline, start), timeAt(views.timeline, event)].sort((one, other) => one - other);
        brush.remove();
        move(...times);
      }
      start = brush = null;
    });
    chart.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(views.timeline, event));
    }, { passive: false });
    chart.addEventListener("keydown", (event) => {
      const action = KEYS[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      ACTIONS[action]();
    });
  }

  function showJobs(share, from, to) {
    state.share = share;
    byId("share").value = String(share);
    move(from, to);
    byId("timeline").scrollIntoView();
    byId("timeline-chart").focus({ preventScroll: true });
  }

  function tooltip(_handler, event, _item, value) {
    const tip = byId("tip");
    const text = value === null || value === undefined ? "" : String(value);
    tip.hidden = !text;
    tip.textContent = text;
    if (!text) return;
    const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 18 + tip.offsetHeight < window.innerHeight;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${below ? event.clientY + 18 : event.clientY - tip.offsetHeight - 12}px`;
  }

  const isFaceted = (name) => "facet" in report.specs[name];
  const AXIS_WIDTH = 72;

  // What surrounds a plot is known only once it is drawn; the small multiples have the same little beside each.
  function fit() {
    for (const [name, view] of Object.entries(views)) {
      const chart = view.container(), svg = chart.querySelector("svg");
      const spare = chart.clientWidth - svg.getBoundingClientRect().width;
      if (!isFaceted(name) && Math.abs(spare) > 1) view.width(Math.max(120, view.width() + Math.floor(spare))).run();
    }
  }

  async function embed(name) {
    const chart = byId(`${name}-chart`);
    const spec = { ...report.specs[name], datasets: report.sources[name] || {} };
    const width = Math.max(120, chart.clientWidth - AXIS_WIDTH);
    if (isFaceted(name)) spec.spec = { ...spec.spec, width };
    else spec.width = width;
    const options = { ast: true, actions: false, renderer: "svg", mode: "vega-lite", defaultStyle: false, tooltip };
    if (views[name]) views[name].finalize();
    views[name] = (await vegaEmbed(chart, spec, options)).view;
    if (name === "jobs") views.jobs.addEventListener("click", jobsAt);
  }

  function jobsAt(event, item) {
    const share = item && item.datum ? run.packed.shares.findIndex((one) => one.name === item.datum.share) : -1;
    if (share < 0) return;
    const at = timeAt(views.jobs, event, cellOf(item)), half = run.endMs / 80;
    showJobs(share, at - half, at + half);
  }
  function cellOf(item) {
    let group = item.mark.marktype === "group" ? item : item.mark.group;
    while (group.mark && group.mark.name !== "cell" && group.mark.group) group = group.mark.group;
    return group;
  }

  function listen() {
    for (const [name, action] of Object.entries(ACTIONS)) {
      const button = byId(name);
      if (button) button.addEventListener("click", action);
    }
    const change = (id, apply) => byId(id).addEventListener("change", (event) => { apply(event.target.value); state.page = 0; draw(); });
    change("share", (value) => { state.share = Number(value); });
    change("filter", (value) => { state.filter = value; });
    change("find", (value) => { state.find = value.trim(); });
    const times = () => {
      const from = parseClock(byId("from").value), to = parseClock(byId("to").value);
      if (from !== null && to !== null && to > from) move(from, to); else draw();
    };
    byId("from").addEventListener("change", times);
    byId("to").addEventListener("change", times);
    drag(byId("timeline-chart"));
    for (const button of document.querySelectorAll("button[data-share]")) {
      button.addEventListener("click", () => showJobs(Number(button.dataset.share), state.from, state.to));
    }
    let waiting = 0;
    let before = document.body.clientWidth;
    window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(resized, 150); });
    async function resized() {
      if (document.body.clientWidth === before) return;
      before = document.body.clientWidth;
      for (const name of Object.keys(views)) if (isFaceted(name)) await embed(name);
      await draw();
    }
  }
  // Many jobs begin with a time around the first preemption that holds few enough of them to be drawn at once.
  function narrow() {
    const around = run.preemptions.length ? run.preemptions[0].at : 0;
    let span = run.endMs;
    while (span > 120000 && chosen().length > ROWS_MAX) {
      span = whole(span / 2);
      state.from = whole(Math.max(0, Math.min(around - span / 2, run.endMs - span)));
      state.to = state.from + span;
    }
  }

  async function begin() {
    const early = Object.keys(report.specs).filter((name) => name === "timeline" || name === "jobs");
    const late = Object.keys(report.specs).filter((name) => !early.includes(name));
    for (const name of early) await embed(name);
    listen();
    if (IS_CROWD) narrow();
    await draw();
    for (const name of late) await embed(name);
    fit();
    document.documentElement.dataset.ready = "yes";
  }
  begin().catch((error) => {
    byId("trouble").hidden = false;
    throw error;
  });
})();
