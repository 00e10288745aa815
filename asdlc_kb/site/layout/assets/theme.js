// Before anything is drawn: the theme that was chosen here, if one was.
(() => {
  try {
    const chosen = localStorage.getItem("kb-theme");
    if (chosen === "light" || chosen === "dark") {
      document.documentElement.dataset.theme = chosen;
    }
  } catch {
    // Storage may be forbidden: then the system's theme it is.
  }
})();
