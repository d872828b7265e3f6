// A page that is opened as a file may not start a worker from another file, and the search is a worker. Here its script runs in a
// hidden frame instead: what the page posts reaches the frame as a message, and what the frame posts becomes a message of the
// object that stands for the worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];  // what was posted before the script had been loaded

    constructor(url) {
      super();
      const script = new URL(url, location.href).href;
      addEventListener("message", (event) => {
        if (event.source !== this.#frame.contentWindow) return;
        if (event.data.loaded) {
          this.#waiting.splice(0).forEach((message) => this.#send(message));
          this.#waiting = null;
        } else {
          this.dispatchEvent(new MessageEvent("message", { data: event.data.answer }));
        }
      });
      this.#frame.hidden = true;
      this.#frame.srcdoc =
        `<script>window.postMessage = (answer) => parent.postMessage({ answer }, "*");</script>` +
        `<script src="${script}" onload='parent.postMessage({ loaded: true }, "*")'></script>`;
      document.body ? this.#attach() : addEventListener("DOMContentLoaded", () => this.#attach());
    }

    #attach() { document.body.appendChild(this.#frame); }

    #send(message) {
      // As an event, since the frame's own postMessage is the way back.
      const to = this.#frame.contentWindow;
      to.dispatchEvent(new to.MessageEvent("message", { data: message }));
    }

    postMessage(message) {
      if (this.#waiting) this.#waiting.push(message);
      else this.#send(message);
    }
  };
}
