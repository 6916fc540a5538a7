package org.ssdcache;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows of the root package's map: who may use whom, and who may use which library. */
@AnalyzeClasses(packages = "org.ssdcache", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule ARROWS =
            layeredArchitecture()
                    .consideringOnlyDependenciesInLayers()
                    .layer("cli")
                    .definedBy("org.ssdcache.cli..")
                    .layer("daemon")
                    .definedBy("org.ssdcache.daemon..")
                    .layer("mount")
                    .definedBy("org.ssdcache.mount..")
                    .layer("file")
                    .definedBy("org.ssdcache.file..")
                    .layer("control")
                    .definedBy("org.ssdcache.control..")
                    .layer("cleaner")
                    .definedBy("org.ssdcache.cleaner..")
                    .layer("cache")
                    .definedBy("org.ssdcache.cache..")
                    .layer("backing")
                    .definedBy("org.ssdcache.backing..")
                    .layer("store")
                    .definedBy("org.ssdcache.store..")
                    .layer("index")
                    .definedBy("org.ssdcache.index..")
                    .layer("background")
                    .definedBy("org.ssdcache.background..")
                    .layer("metrics")
                    .definedBy("org.ssdcache.metrics..")
                    .whereLayer("cli")
                    .mayNotBeAccessedByAnyLayer()
                    .whereLayer("daemon")
                    .mayOnlyBeAccessedByLayers("cli")
                    .whereLayer("mount")
                    .mayOnlyBeAccessedByLayers("daemon", "cli")
                    .whereLayer("control")
                    .mayOnlyBeAccessedByLayers("daemon", "cli")
                    .whereLayer("file")
                    .mayOnlyBeAccessedByLayers("mount", "daemon")
                    .whereLayer("cache")
                    .mayOnlyBeAccessedByLayers("file", "cleaner", "daemon", "cli")
                    .whereLayer("cleaner")
                    .mayOnlyBeAccessedByLayers("daemon", "cli")
                    .whereLayer("background")
                    .mayOnlyBeAccessedByLayers("cache", "cleaner")
                    .whereLayer("backing")
                    .mayOnlyBeAccessedByLayers("cache")
                    .whereLayer("store")
                    .mayOnlyBeAccessedByLayers("cache", "daemon")
                    .whereLayer("index")
                    .mayOnlyBeAccessedByLayers("cache")
                    .whereLayer("metrics")
                    .mayOnlyBeAccessedByLayers("backing", "cache", "control", "daemon", "cli");

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("org.ssdcache.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule VALUES_USE_NOTHING =
            noClasses()
                    .that()
                    .resideInAPackage("org.ssdcache.block..")
                    .should()
                    .dependOnClassesThat()
                    .resideOutsideOfPackages("org.ssdcache.block..", "java..");

    @ArchTest
    static final ArchRule THE_SEAM_USES_NO_OTHER_PACKAGE =
            noClasses()
                    .that()
                    .resideInAPackage("org.ssdcache.io..")
                    .should()
                    .dependOnClassesThat(
                            com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage(
                                            "org.ssdcache..")
                                    .and(
                                            com.tngtech.archunit.base.DescribedPredicate.not(
                                                    com.tngtech.archunit.core.domain.JavaClass
                                                            .Predicates.resideInAPackage(
                                                            "org.ssdcache.io.."))));

    @ArchTest
    static final ArchRule ONLY_THE_INDEX_KNOWS_MAPDB =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("org.ssdcache.index..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("org.mapdb..");

    @ArchTest
    static final ArchRule ONLY_THE_MOUNT_KNOWS_FUSE =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("org.ssdcache.mount..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("ru.serce..");

    @ArchTest
    static final ArchRule NATIVE_CALLS_ARE_IN_IO_AND_MOUNT =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("org.ssdcache.mount..", "org.ssdcache.io..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("jnr..", "com.kenai..");

    /** An interrupt closes the channel of every thread that uses it. */
    @ArchTest
    static final ArchRule NOBODY_INTERRUPTS_A_POOL =
            noClasses()
                    .should()
                    .callMethod(java.util.concurrent.ExecutorService.class, "shutdownNow")
                    .orShould()
                    .callMethod(java.util.concurrent.Future.class, "cancel", boolean.class);

    @ArchTest
    static final ArchRule NOBODY_SLEEPS_INSTEAD_OF_WAITING =
            noClasses().should().callMethod(Thread.class, "sleep", long.class);
}
