// Sets what the style sheet needs before the first paint: the reader's theme, if there
// is one, and whether other services can reach the site.
(() => {
  // Names without a dot, and addresses of this machine and of private networks.
  const LOCAL =
    /^[^.]*$|^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$|\.(local|localhost|internal)$/;
  if (LOCAL.test(location.hostname)) document.documentElement.dataset.local = "";
  try {
    const chosen = localStorage.getItem("kb-theme");
    if (chosen === "light" || chosen === "dark") {
      document.documentElement.dataset.theme = chosen;
    }
  } catch {
    // Storage may be forbidden: then the system's theme applies.
  }
})();
