/* The microphone: asking for it, how loud it is, what devices there are. It never touches the page. */

const CLEAN = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

/** Whether this browser lets any page at this address use a microphone: plain http cannot. */
export function possible() {
  return globalThis.isSecureContext && Boolean(navigator.mediaDevices?.getUserMedia) && "RTCPeerConnection" in globalThis;
}

/** Ask for the microphone, `device` if it is still there. Rejects as the browser does. */
export async function openMicrophone(device) {
  const wanted = device ? { ...CLEAN, deviceId: { ideal: device } } : CLEAN;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: wanted });
  return stream.getAudioTracks()[0];
}

/** Microphones and speakers by name; unnamed until the microphone has been allowed. */
export async function devices() {
  const all = (await navigator.mediaDevices?.enumerateDevices().catch(() => null)) ?? [];
  const kind = (name) => all.filter((one) => one.kind === name && one.deviceId !== "");
  return { microphones: kind("audioinput"), speakers: kind("audiooutput") };
}

/** Whether the microphone may be had without a question: `granted`, `denied`, or `prompt`. */
export async function permission() {
  try {
    return (await navigator.permissions.query({ name: "microphone" })).state;
  } catch {
    return "prompt"; // a browser that does not tell
  }
}

/** What measures tracks and makes silence. `level()` is of the track last given to `measure`. */
export function createSound() {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 1024 });
  const samples = new Float32Array(analyser.fftSize);
  let source = null;

  return {
    measure(track) {
      source?.disconnect();
      source = new MediaStreamAudioSourceNode(context, { mediaStream: new MediaStream([track]) });
      source.connect(analyser);
    },
    level() {
      analyser.getFloatTimeDomainData(samples);
      return Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);
    },
    /** A track of silence, for somebody without a microphone: the others then measure a live line. */
    silent() {
      const out = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
      const nothing = new ConstantSourceNode(context, { offset: 0 });
      nothing.connect(out);
      nothing.start();
      return out.stream.getAudioTracks()[0];
    },
    resume: () => context.state === "suspended" && context.resume().catch(() => null),
    close: () => context.close().catch(() => null),
  };
}
