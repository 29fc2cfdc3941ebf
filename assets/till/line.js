/**
 * The line to the service. Links and forms of the till are asked for by the script, so that what is shown stays
 * where there is no answer, with the time of the last one. It never says what it does not know: "paid" is what
 * the server has rendered.
 */
const RETRY_MS = 3000;
/** A line that is half dead answers nothing, and no error. */
const PATIENCE_MS = 15_000;

let answeredAt = new Date();
let isDown = false;
/** Of the request that the page waits for: what a later one has overtaken is not shown. */
let asked = 0;
/** @type {number | undefined} */
let followTimer;
/** The latest page on which amounts are typed: the next one can be typed while the line is down. */
let counterPage = '';
let counterAt = answeredAt;

/** @param {string} text '': nothing */
function sayLine(text) {
  const line = byId('line');
  if (!line || line.textContent === text) return;
  line.textContent = text;
  line.hidden = text === '';
}

/** @param {boolean} down */
function setDown(down) {
  if (isDown && !down) announce(textOf('back'));
  isDown = down;
  document.body.classList.toggle('down', down);
  sayLine(down ? textOf('down').replace('{time}', clockOf(answeredAt)) : '');
}

/**
 * Asks the service; null: no answer, or one that says nothing, as that of a proxy in front of it.
 * @param {string} url @param {RequestInit} [options]
 */
async function ask(url, options = {}) {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(url, { ...options, signal, credentials: 'same-origin' });
    const text = await response.text();
    const isOurs = text.includes('<body class="till');
    if (!isOurs) throw new Error(`status: ${response.status}`);
    answeredAt = new Date();
    setDown(false);
    return { url: response.url, text };
  } catch {
    setDown(true);
    return null;
  }
}

/** Shows another page in this document. @param {{ url: string, text: string }} page */
function showPage({ url, text }) {
  const next = parsed(text);
  const here = new URL(url);
  if (here.pathname === '/till') [counterPage, counterAt] = [text, answeredAt];
  document.title = next.title;
  document.body.dataset.follow = next.body.dataset.follow ?? '0';
  document.body.className = next.body.className;
  for (const place of ['main', 'header']) {
    const [shown, other] = [document.querySelector(place), next.querySelector(place)];
    if (shown && other) shown.replaceWith(other);
    else if (other) document.body.prepend(other);
    else shown?.remove();
  }
  if (here.pathname !== location.pathname) history.pushState(null, '', here.pathname + here.search);
  enter();
  scrollTo(0, 0);
  const first = document.querySelector('[autofocus]') ?? byId('title');
  if (first instanceof HTMLElement) first.focus();
}

/** What each part was when the server rendered it: what the script changed in it is no difference. */
/** @type {Map<string, string>} */
const parts = new Map();

/** Replaces the parts that differ, so that what is typed or open elsewhere stays. @param {string} text */
function showChanges(text) {
  for (const part of parsed(text).querySelectorAll('[data-part]')) {
    const [shown, markup] = [byId(part.id), part.outerHTML];
    if (!shown || parts.get(part.id) === markup) continue;
    const hadFocus = shown.contains(document.activeElement);
    parts.set(part.id, markup);
    shown.replaceWith(part);
    if (hadFocus) byId('title')?.focus();
  }
  localise();
  hearPaid();
}

/** Asks for what has changed, for as long as the page is shown. */
async function follow() {
  clearTimeout(followTimer);
  const everyMs = Number(document.body.dataset.follow);
  if (!everyMs) return;
  const path = location.pathname;
  const mine = asked;
  const page = await ask(`${path}?follow`);
  if (mine === asked && path === location.pathname && page) {
    // The till was locked, on this device or by its shop: nothing of it stays on the screen.
    if (new URL(page.url).pathname === path && page.text.includes('data-part')) showChanges(page.text);
    else showPage(page);
  }
  clearTimeout(followTimer);
  followTimer = setTimeout(follow, isDown ? RETRY_MS : everyMs);
}

/** Leads to a page; where there is no answer this one stays. @param {string} url */
async function go(url) {
  const mine = ++asked;
  const page = await ask(url);
  if (mine !== asked) return;
  if (page) return showPage(page);
  if (new URL(url, location.href).pathname !== '/till' || counterPage === '')
    return sayLine(textOf('undone'));
  // Its list is as old as it is.
  answeredAt = counterAt;
  showPage({ url: new URL('/till', location.href).href, text: counterPage });
  setDown(true);
}

/**
 * Posts a form once: who gets no answer does not know what came of it, and looks.
 * @param {HTMLFormElement} form @param {HTMLElement | null} submitter
 */
async function post(form, submitter) {
  const mine = ++asked;
  form.inert = true;
  const page = await ask(form.action, { method: 'POST', body: fieldsOf(form, submitter) });
  form.inert = false;
  if (mine !== asked) return;
  if (page) showPage(page);
  else sayLine(textOf('unsure'));
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} [submitter] */
function fieldsOf(form, submitter) {
  const fields = new FormData(form);
  if (submitter instanceof HTMLButtonElement && submitter.name) fields.set(submitter.name, submitter.value);
  const pairs = new URLSearchParams();
  // No form of a till has a file.
  for (const [name, value] of fields) if (typeof value === 'string') pairs.append(name, value);
  return pairs;
}
