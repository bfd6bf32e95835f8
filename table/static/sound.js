// Sounds, made in the browser: a card, the own turn, the end of a deal. Off until they are chosen.

let context = null;

function isOn() {
  return localStorage.getItem("sound") === "on";
}

function tone(frequency, at, length, volume = 0.08) {
  const source = context.createOscillator();
  const gain = context.createGain();
  source.frequency.value = frequency;
  gain.gain.setValueAtTime(volume, context.currentTime + at);
  gain.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + at + length);
  source.connect(gain).connect(context.destination);
  source.start(context.currentTime + at);
  source.stop(context.currentTime + at + length);
}

function rustle() {
  const length = Math.floor(context.sampleRate * 0.05);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const data = buffer.getChannelData(0);
  for (let n = 0; n < length; n++) data[n] = (Math.random() * 2 - 1) * 0.25 * (1 - n / length) ** 2;
  const source = context.createBufferSource();
  source.buffer = buffer;
  source.connect(context.destination);
  source.start();
}

const SOUNDS = {
  card: rustle,
  turn: () => { tone(660, 0, 0.12); tone(880, 0.1, 0.16); },
  end: () => { tone(523, 0, 0.2); tone(659, 0.12, 0.2); tone(784, 0.24, 0.35); },
};

export function play(name) {
  if (!isOn() || !("AudioContext" in window)) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  SOUNDS[name]();
}
