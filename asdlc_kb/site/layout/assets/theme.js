// Sets the reader's theme, if there is one, before the first paint.
(() => {
  try {
    const chosen = localStorage.getItem("kb-theme");
    if (chosen === "light" || chosen === "dark") {
      document.documentElement.dataset.theme = chosen;
    }
  } catch {
    // Storage may be forbidden: then the system's theme applies.
  }
})();
