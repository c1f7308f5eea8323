// Keeps a reader who is at the end of what grows at its end, and leaves everybody else where they read.

/** So near the end counts as at the end, in pixels. */
const END_PX = 48;

export class EndFollower {
  isAtEnd = $state(true);
  #scroller: HTMLElement | undefined;
  #lastTop = 0;

  /** For `{@attach}` on the element that scrolls: what grows is its first child. */
  readonly attach = (scroller: HTMLElement) => {
    this.#scroller = scroller;
    const onscroll = () => this.#look(scroller);
    const observer = new ResizeObserver(() => {
      if (this.isAtEnd) this.toEnd();
    });
    scroller.addEventListener("scroll", onscroll);
    observer.observe(scroller);
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
    return () => {
      observer.disconnect();
      scroller.removeEventListener("scroll", onscroll);
      this.#scroller = undefined;
    };
  };

  toEnd(): void {
    if (this.#scroller) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.isAtEnd = true;
  }

  /** A reader is led away from the end; where that ends, `look` says. */
  leave(): void {
    this.isAtEnd = false;
  }

  /** Notes whether the end is in sight, where nothing may have scrolled. */
  look(): void {
    if (this.#scroller) this.#look(this.#scroller);
  }

  #look(scroller: HTMLElement) {
    const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < END_PX;
    // Only a reader goes up: what has grown since the last frame leaves the end below, and is still followed.
    if (isNear || scroller.scrollTop < this.#lastTop) this.isAtEnd = isNear;
    this.#lastTop = scroller.scrollTop;
  }
}
