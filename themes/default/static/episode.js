/* The player of an episode: speed, leaps, a place that is remembered, and a transcript that goes along. */
(function () {
  "use strict";

  const KEY = "devlog-heard";
  const KEPT = 50; /* so many episodes have their place remembered */
  const LONGEST = 1e6; /* seconds: what players cannot go to is no time */
  const RATES = [1, 1.25, 1.5, 1.75, 2, 0.75];
  const page = location.pathname;

  /* What is remembered: the speed, and pairs of a page and a second. */

  function stored() {
    try {
      const found = JSON.parse(localStorage.getItem(KEY));
      return { rate: RATES.includes(found.rate) ? found.rate : 1, heard: found.heard.filter((pair) => pair[1] > 0) };
    } catch (error) {
      return { rate: 1, heard: [] };
    }
  }

  function store(rate, second) {
    const heard = stored().heard.filter((pair) => pair[0] !== page);
    heard.push(...(second ? [[page, second]] : []));
    try {
      localStorage.setItem(KEY, JSON.stringify({ rate, heard: heard.slice(-KEPT) }));
    } catch (error) { /* it is then forgotten */ }
  }

  function clock(time) {
    const parts = [time / 3600, time / 60 % 60, time % 60].map(Math.floor);
    return parts.slice(parts[0] ? 0 : 1).map((part, at) => String(part).padStart(at && 2, "0")).join(":");
  }

  const start = (item) => Number(item.dataset.start);

  /* The second that an address names: #t=72, #t=1:12, #t=72,90 and #t72; null for any other place. */
  function timeOf(hash) {
    const found = /^#t(?:=|%3D)?((?:\d+:){0,2}\d+(?:\.\d+)?)(?:,[\d:.]*)?$/i.exec(hash);
    const place = document.getElementById(hash.slice(1));
    if (place) {
      const turn = place.closest(".turn[data-start]");
      return turn && start(turn);
    }
    return found && found[1].split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  }

  function heardAt(items, time) {
    return items.filter((item) => start(item) <= time + 0.05).pop();
  }

  function isSeen(item) {
    const box = item.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  }

  function button(text, label, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
  }

  const chaptersOf = (box) => [...box.querySelectorAll(".chapters [data-start]")];

  function play(box) {
    const audio = box.querySelector("audio");
    const tools = box.querySelector(".episode-tools");
    if (!audio || tools.firstChild) { return; }
    /* The preview changes them. */
    const turns = () => [...document.querySelectorAll(".turn[data-start]")];
    const chapters = () => chaptersOf(box);
    const now = document.createElement("span");
    const rate = button("", "", () => {
      audio.playbackRate = RATES[(RATES.indexOf(audio.playbackRate) + 1) % RATES.length];
    });
    let kept = 0; /* the second that is remembered */
    let isHeard = false;

    function seek(time) {
      audio.currentTime = Math.max(0, Math.min(time, audio.duration || LONGEST, LONGEST));
      show();
    }

    const back = () => seek(audio.currentTime - 15);
    const on = () => seek(audio.currentTime + 30);

    /* An address leads into a turn, not only to its beginning. */
    function goTo() {
      const time = timeOf(location.hash);
      if (time === null) { return false; }
      seek(time);
      heardAt(turns(), time)?.scrollIntoView();
      return true;
    }

    /* Marks what is heard, and tells what was until now. */
    function mark(items, item) {
      const before = items.find((other) => other.hasAttribute("aria-current"));
      if (before !== item) {
        before?.removeAttribute("aria-current");
        item?.setAttribute("aria-current", "true");
      }
      return before;
    }

    function show() {
      const items = turns();
      const time = audio.currentTime || -audio.paused; /* nothing is heard before it begins */
      const turn = heardAt(items, time);
      const chapter = heardAt(chapters(), time);
      const before = mark(items, turn);
      mark(chapters(), chapter);
      /* The player itself tells the time. */
      now.textContent = chapter?.querySelector(".chapter-title").textContent ?? (time < 0 ? "" : clock(time));
      /* The page goes along while the reader does: who looks at something else is left there. */
      if (turn && before && turn !== before && !audio.paused && isSeen(before) &&
          !matchMedia("(prefers-reduced-motion: reduce)").matches) {
        turn.scrollIntoView({ block: "nearest", behavior: "smooth" });
      }
    }

    function keep() {
      const time = Math.floor(audio.currentTime);
      kept = time;
      store(audio.playbackRate, time > 4 && !(audio.duration - time < 5) ? time : 0);
    }

    function showRate() {
      rate.textContent = audio.playbackRate + "×";
      rate.setAttribute("aria-label", __t("speed", { rate: rate.textContent }));
      if (audio.playbackRate !== stored().rate) {
        store(audio.playbackRate, kept);
      }
    }

    function announce() {
      const media = navigator.mediaSession;
      if (!media) { return; }
      const { title, show: album, people, image } = box.dataset;
      media.metadata = new MediaMetadata({ title, album, artist: people, artwork: image ? [{ src: image }] : [] });
      const actions = { seekbackward: back, seekforward: on };
      if (chapters().length) {
        const other = (chapter) => chapter && seek(start(chapter));
        actions.previoustrack = () => other(heardAt(chapters(), audio.currentTime - 3) || chapters()[0]);
        actions.nexttrack = () => other(chapters().find((chapter) => start(chapter) > audio.currentTime + 0.05));
      }
      Object.entries(actions).forEach(([name, action]) => media.setActionHandler(name, action));
    }

    /* Times in the text, in the list of chapters, and what the writer has linked. */
    box.closest("article").addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#t']");
      const time = link && timeOf(link.hash);
      if (!link || time === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
        return;
      }
      event.preventDefault();
      history.replaceState(history.state, "", link.hash);
      seek(time);
      audio.play().catch(() => { /* the player itself says what is wrong */ });
    });
    const before = stored();
    kept = (before.heard.find((pair) => pair[0] === page) || [])[1] || 0;
    audio.defaultPlaybackRate = audio.playbackRate = before.rate;
    now.className = "episode-now";
    tools.append(
      button(__t("seconds_back"), __t("seconds_back_name"), back),
      button(__t("seconds_on"), __t("seconds_on_name"), on),
      rate,
      now
    );
    showRate();
    audio.addEventListener("ratechange", showRate);
    audio.addEventListener("timeupdate", () => {
      show();
      if (Math.abs(audio.currentTime - kept) >= 5) {
        keep();
      }
    });
    audio.addEventListener("pause", keep);
    addEventListener("pagehide", () => { if (isHeard) { keep(); } });
    addEventListener("hashchange", goTo);
    if (!goTo() && kept) {
      seek(kept);
    }

    /* What has been played stays at hand, below what is read. */
    const sound = box.querySelector(".episode-sound");
    const float = () => box.classList.toggle("floats", isHeard && !isSeen(sound));
    new IntersectionObserver(float).observe(sound);
    audio.addEventListener("play", () => {
      isHeard = true;
      float();
      announce();
    });
  }

  function begin() {
    document.querySelectorAll(".episode").forEach((box) => {
      play(box);
      /* Without the script these lead into the sound itself. */
      chaptersOf(box).forEach((item) => { item.querySelector(".time").href = "#t=" + item.dataset.start; });
    });
  }

  begin();
  document.addEventListener("devlog:update", begin); /* the preview changes pages in place */
})();
