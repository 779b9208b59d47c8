// SPDX-License-Identifier: Apache-2.0
// The same project for Gradle: gradle run -Ptreehaul.repository=file:///path/of/the/repository -Pprogram=WalkTree --args=/usr/share

plugins {
    application
}

repositories {
    maven { url = uri(property("treehaul.repository")!!) }
    mavenCentral()
}

java {
    toolchain { languageVersion = JavaLanguageVersion.of(25) }
}

dependencies {
    implementation(platform("org.treehaul:treehaul-bom:0.1.0-SNAPSHOT"))
    implementation("org.treehaul:treehaul-core")
    implementation("org.treehaul:treehaul-schedulers")
    implementation("org.treehaul:treehaul-tuplespace")
    runtimeOnly("org.xerial:sqlite-jdbc")
    runtimeOnly("org.slf4j:slf4j-simple:2.0.20")
}

application {
    mainClass = property("program") as String
    applicationDefaultJvmArgs = listOf("--enable-native-access=ALL-UNNAMED")
}
