{ stdenv, fetchurl }:

stdenv.mkDerivation rec {
  pname = "serval";
  version = "@VERSION@";
  src = fetchurl {
    url = "@URL@/@ARCHIVE@";
    sha256 = "@SUM@";
  };
  dontBuild = true;
  dontStrip = true;
  installPhase = ''
    mkdir -p $out
    cp -r bin share $out/
  '';
  meta = {
    description = "Decides whether request handlers are serializable, with evidence";
    homepage = "@PAGE@";
    platforms = [ "x86_64-linux" ];
    mainProgram = "serval";
  };
}
