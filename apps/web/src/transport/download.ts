// Giving the person a file that the page has put together.

/** Hands the pieces to the browser as one file; where it goes is the browser's and the person's choice. */
export function download(name: string, type: string, pieces: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...pieces], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  // The browser has taken the data when the click returns.
  URL.revokeObjectURL(url);
}
