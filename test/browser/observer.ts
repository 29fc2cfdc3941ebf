/** Keeps every text that is added to the live region, and the layout shifts that no input explains. */
export const OBSERVER = `
  window.heard = []; window.shift = 0;
  addEventListener('DOMContentLoaded', () => new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const { textContent } of addedNodes) window.heard.push(textContent);
  }).observe(document.getElementById('heard'), { childList: true }));
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;
